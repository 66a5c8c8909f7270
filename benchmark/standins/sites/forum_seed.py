"""Fills the forum's empty tables with its data."""

from itertools import count

import forum_data as data
from django.contrib.auth.models import User
from django.utils.html import escape
from spirit.category.models import Category
from spirit.comment.models import Comment
from spirit.topic.models import Topic


def seed() -> None:
    """Fill all tables; the times that are not in the data are whatever the clock says, which the caller holds still."""
    # The first category is by its number the one of private topics.
    Category.objects.create(title="Private", is_private=True)
    places = {title: Category.objects.create(title=title, description=about) for title, about in data.CATEGORIES}
    name, word = data.MEMBER
    members = {name: User.objects.create_user(name, f"{name}@example.com", word)}
    members |= {other: User.objects.create_user(other, f"{other}@example.com", None) for other in data.OTHERS}
    for member in members.values():
        member.st.is_verified = True
        member.st.save()
    numbers = count()
    for category, title, author, first, replies in data.TOPICS:
        began = data.moment(next(numbers))
        topic = Topic.objects.create(
            user=members[author], category=places[category], title=title, date=began, last_active=began,
            reindex_at=began, comment_count=1 + len(replies),
        )  # fmt: skip
        _comment(topic, members[author], first, began)
        for who, words in replies:
            written = data.moment(next(numbers))
            _comment(topic, members[who], words, written)
            Topic.objects.filter(pk=topic.pk).update(last_active=written)


def _comment(topic: Topic, user: User, words: str, date: object) -> None:
    Comment.objects.create(topic=topic, user=user, comment=words, comment_html=f"<p>{escape(words)}</p>", date=date)
