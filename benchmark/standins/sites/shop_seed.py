"""Fills the shop's empty tables with its data."""

from decimal import Decimal
from typing import Any

import shop_data as data
from django.contrib.auth.models import User
from django.contrib.sites.models import Site
from oscar.apps.catalogue.categories import create_from_breadcrumbs
from oscar.core.loading import get_class, get_model
from oscar.core.prices import Price


def seed() -> None:
    """Fill all tables; the times of rows are whatever the clock says, which the caller holds still."""
    Site.objects.update_or_create(id=1, defaults={"domain": "127.0.0.1", "name": "Corner Shop"})
    admin, admin_mail, admin_word = data.ADMIN
    User.objects.create_superuser(admin, admin_mail, admin_word)
    mail, name, surname, word = data.CUSTOMER
    customer = User.objects.create_user("ella", mail, word, first_name=name, last_name=surname)
    others = [
        User.objects.create_user(f"{first}{last}".lower(), mail, None, first_name=first, last_name=last)
        for mail, first, last in data.OTHERS
    ]
    country = get_model("address", "Country").objects.create(
        iso_3166_1_a2="US", iso_3166_1_a3="USA", iso_3166_1_numeric="840", printable_name="United States of America",
        name="United States of America", is_shipping_country=True,
    )  # fmt: skip
    for place in data.ADDRESSES:
        get_model("address", "UserAddress").objects.create(
            user=customer, first_name=name, last_name=surname, state="NH", country=country, **place
        )
    products = _products()
    _reviews(products, others)
    for order in data.ORDERS:
        _order(order, products, others, country)
    _cart(customer, data.CART, products)
    _wish_list(customer, products)
    _offer()


def _products() -> dict[str, Any]:
    kind = get_model("catalogue", "ProductClass").objects.create(name="Goods", track_stock=True, requires_shipping=True)
    partner = get_model("partner", "Partner").objects.create(name="Corner Shop", code="corner")
    categories = {name: create_from_breadcrumbs(name) for name in dict.fromkeys(i.category for i in data.ITEMS)}
    products = {}
    for item in data.ITEMS:
        product = get_model("catalogue", "Product").objects.create(
            title=item.title, upc=item.sku, description=f"<p>{item.about}</p>", product_class=kind
        )
        get_model("catalogue", "ProductCategory").objects.create(product=product, category=categories[item.category])
        get_model("partner", "StockRecord").objects.create(
            product=product, partner=partner, partner_sku=item.sku, price_currency="USD", price=Decimal(item.price),
            num_in_stock=item.stock, low_stock_threshold=1,
        )  # fmt: skip
        products[item.title] = product
    return products


def _reviews(products: dict[str, Any], others: list[User]) -> None:
    for number, (title, who, stars, head, words) in enumerate(data.REVIEWS):
        review = get_model("reviews", "ProductReview").objects.create(
            product=products[title], user=others[who], score=stars, title=head, body=words, status=1
        )
        type(review).objects.filter(pk=review.pk).update(date_created=data.day(30 + number))
        products[title].update_rating()


def _order(row: tuple[Any, ...], products: dict[str, Any], others: list[User], country: Any) -> None:
    number, who, status, after, items = row
    user = others[who]
    basket = _cart(user, items, products)
    place = get_model("order", "ShippingAddress").objects.create(
        first_name=user.first_name, last_name=user.last_name, line1=f"{number % 100} Elm Street", line4="Dover",
        state="NH", postcode="03820", country=country,
    )  # fmt: skip
    total = Price("USD", excl_tax=basket.total_excl_tax, incl_tax=basket.total_incl_tax)
    order = get_class("order.utils", "OrderCreator")().place_order(
        order_number=str(number), user=user, basket=basket, shipping_address=place,
        shipping_method=get_class("shipping.methods", "Free")(), shipping_charge=Price("USD", Decimal(0), Decimal(0)),
        total=total, status=status,
    )  # fmt: skip
    basket.submit()
    type(order).objects.filter(pk=order.pk).update(date_placed=data.day(after))


def _cart(user: User, items: tuple[tuple[str, int], ...], products: dict[str, Any]) -> Any:
    basket = get_model("basket", "Basket").objects.create(owner=user)
    basket.strategy = get_class("partner.strategy", "Default")()
    for title, count in items:
        basket.add_product(products[title], count)
    return basket


def _wish_list(customer: User, products: dict[str, Any]) -> None:
    lists = get_model("wishlists", "WishList").objects
    made = lists.create(owner=customer, name="Camp")
    # A list that is made draws its own key, which is part of its address.
    lists.filter(pk=made.pk).update(key="camp01")
    wish_list = lists.get(pk=made.pk)
    wish_list.add(products["Enamel Mug"])


def _offer() -> None:
    """The offer of ten percent that a voucher can be made for."""
    everything = get_model("offer", "Range").objects.create(name="Everything", includes_all_products=True)
    condition = get_model("offer", "Condition").objects.create(range=everything, type="Count", value=1)
    benefit = get_model("offer", "Benefit").objects.create(range=everything, type="Percentage", value=10)
    get_model("offer", "ConditionalOffer").objects.create(
        name="Ten percent off everything", offer_type="Voucher", condition=condition, benefit=benefit
    )
