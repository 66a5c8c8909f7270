"""The hand-set weights: how much each named feature speaks for a candidate. Data, with the reason beside each."""

# In units of log odds: a clear sign is worth 4 to 7, a hint 1 to 2, and a reason against outweighs one clear sign. Set
# by hand; nothing is fitted.
WEIGHTS: dict[str, float] = {
    # ---- clicking: the goal means this element ...
    "click_quoted": 7.0,  # its name is quoted
    "click_named": 6.0,  # its whole name stands in the goal
    "click_role": 4.0,  # the goal quotes what kind of control it is, or a synonym of its name
    "click_affix": 5.0,  # it starts and ends as the goal says
    "click_ordinal": 4.0,  # "the 2nd checkbox"
    "click_described": 4.0,  # "the small red circle"
    "click_extreme": 4.0,  # "the longest", "the cheapest"
    "click_in_context": 4.0,  # its group is named, and so is what it does
    "click_beside": 4.0,  # the counter of something the goal names
    "click_several": 4.0,  # the counter of something of the kind that the goal wants some of
    "click_labelled": 5.0,  # the label before it is what the goal says
    "click_opener": 1.5,  # the goal says to expand, and it is collapsed
    "click_style": 5.0,  # it gives a text the style that the goal says
    "click_date": 6.0,  # it leads to the goal's date
    "click_slot": 6.0,  # the time of day that the goal gives, or where what it asks for begins or ends
    "click_answer": 6.0,  # it states what the goal asks
    # ---- ... or shares words with it
    "click_words": 2.5,  # rare words of its name
    "click_name_share": 1.0,  # most of its name
    "click_synonym": 1.5,  # another word for what it says
    "click_holds_quoted": 3.0,  # a quoted text is part of its name
    "click_hint": 2.0,  # the class or id of an icon says what the goal says
    "click_hint_quoted": 2.0,  # or what the goal quotes
    "click_context": 1.5,  # its group or the text before it holds a rare word of the goal
    "click_role_word": 1.0,  # the goal says "button", and it is one
    # ---- clicking: what has been done
    "click_open": 1.0,  # meant, and not done yet
    "click_first_open": 2.5,  # of what is left, the goal says this first
    "click_before_work": -7.0,  # the goal says it after what is still to be filled in or scrolled to
    "click_retry": 7.0,  # the one thing the goal means did not react, and nothing else is left
    "click_closed": -5.0,  # meant, but enough of its kind are done
    "click_until": 5.0,  # once more, until the number shown is as demanded
    "click_done": -4.0,  # it was clicked or is on already
    "click_idle": -1.5,  # the last click on it did nothing
    "click_idle_name": -3.0,  # for each click in a row on others of its name that did nothing
    "click_same_name": -1.0,  # one of the same name was clicked
    "click_field": -4.0,  # a field wants text rather than a click
    "click_early": -9.0,  # the goal names something before it that has not been found yet
    "click_box": -1.0,  # a box that the goal does not mention stays as it is
    "click_drawing": -1.0,  # the whole drawing is rarely the target
    "click_unasked": -9.0,  # it takes something away or leads out, and the goal says nothing of it
    "click_cancel": -1.5,  # leaving is rarely asked for
    "click_suggestion": 7.0,  # it completes what was just typed
    "click_false": -6.0,  # it says of a number what is not so: odd beside an even one
    "click_date_away": -6.0,  # another day, or the wrong way through the months
    # ---- confirming
    "submit": 0.5,  # most goals end with one
    "submit_named": 1.0,  # the goal says to press it
    "submit_ready": 3.0,  # nothing is left to do before
    "submit_too_early": -7.0,  # fields to fill, boxes to check, or the number is not as demanded
    "submit_missing": -1.0,  # what the goal names has not been seen yet
    "submit_again": -5.0,  # it was just pressed
    "dialog_leave": 6.0,  # a dialog that no click called is left ...
    "dialog_agree": -9.0,  # ... and not agreed to
    # ---- uncovering what the goal names and the page does not show
    "open_part": 3.0,  # a tab, a menu, a folder, a collapsed part
    "open_there": 1.0,  # in the row, post or group that the goal names
    "open_next": 4.0,  # the next page of a list
    "open_link": 3.0,  # a link that says what the goal says
    "open_again": -1.0,  # it was opened before
    "open_other": -2.0,  # anything that is neither meant nor uncovers more
    # ---- typing: the kind of text
    "type": -0.5,  # typing needs a reason of its own
    "type_quoted": 3.0,  # marked as a text by quotes
    "type_labelled": 2.5,  # "from: Reno"
    "type_named": 2.5,  # "password s3cret"
    "type_email": 1.5,  # marked by their form ...
    "type_url": 1.0,
    "type_handle": 0.5,  # rather names someone on the page
    "type_date": 2.0,
    "type_time": 2.0,
    "type_number": 1.5,
    "type_capitalised": 1.5,  # ... or by their capitals
    "type_phrase": 0.5,  # "search for blue shoes"
    "type_choice": -2.0,  # what is chosen is rarely typed
    "type_token": -0.5,  # any other word
    "type_page_text": 3.0,  # the goal says to copy
    "type_page_value": 3.5,  # stands beside the field's label elsewhere on the page
    "type_restyled": 8.0,  # the text again, in the style that was chosen
    "type_computed": 5.0,  # worked out because the goal asks for it
    "type_written": 1.5,  # by a chat model
    # ---- typing: text and field
    "type_label": 3.0,  # the goal says the field's label beside the text
    "type_other_field": -3.0,  # beside it stands another field's label
    "type_form_fits": 2.0,  # a date into a date field
    "type_form_misfits": -2.0,  # a word into a date field
    "type_ordinal": 2.0,  # "the 2nd field"
    "type_ordinal_other": -2.0,  # but this is another
    "type_from_ordinal": 2.0,  # copied from "the 2nd field"
    "type_token_shown": -2.0,  # a word that also stands on the page names something there
    "type_control_name": -5.0,  # the text is a button's name
    "type_first_value": 0.5,  # of the texts left, the goal gives this first
    "type_no_request": -4.0,  # the goal asks for no text
    # ---- typing: what has been done
    "type_first_empty": 0.8,  # of the fields left, this is the first
    "type_last_empty": 1.0,  # one field is left, and so is one text
    "type_filled": -1.5,  # a preset field is seldom the one
    "type_filled_area": -4.0,  # a long text on the page is to be read
    "type_again": -6.0,  # it holds what was typed
    "type_guess": 12.0,  # the page says that the last guess was wrong
    "type_retry": -2.0,  # it was typed into and is empty again
    "type_used": -4.0,  # another field holds this text
    "type_sent": -7.0,  # it was sent off, and the field is empty again
    # ---- choosing an option
    "select": 0.0,
    "select_named": 6.0,  # the goal names the option whole
    "select_words": 3.0,  # it shares words with the goal
    "select_label": 0.5,  # the goal names the list
    "select_again": -2.0,  # something was chosen here
    # ---- keys
    "press": -2.0,  # keys are for what nothing else does
    "press_enter": 5.0,  # a filled field, and no button to send it
    "press_menu": 10.0,  # it leads on along the goal's path: a click would choose what is only on the way
    "press_escape": -1.0,  # closing what covers the page is a last resort
    "slider_step": 7.0,  # towards the number of the goal
    "slider_page": 8.0,  # the same, from far away
    "slider_home": 9.0,  # back to the start, from where it is nearer
    "slider_end": 9.0,  # on to the end, near which it is
    "slider_away": -4.0,  # beyond or away from it
    # ---- pointer and keys beyond clicking and typing
    "gesture": -4.0,  # most pages are worked by clicking
    "gesture_wanted": 9.0,  # the goal wants this dragged there, or just this place, size or selection
    "gesture_next": 1.0,  # before the others of its kind
    "gesture_again": -3.0,  # the same thing was moved before
    "click_handled": -8.0,  # what is dragged or drawn on is not clicked
    "click_path": -9.0,  # clicking it would choose it instead of what is inside it
    "click_selecting": -14.0,  # a click would lose the selection that is being made
    "hover": -4.0,  # what a click opens, a hover seldom does
    "hover_missing": 4.0,  # what the goal names has not been seen yet, and this opens more
    "hover_path": 14.0,  # the goal names it on the way to something inside it: more than a click on it has
    "double": -4.0,
    "double_meant": 18.0,  # the goal says to double-click, and means this: more than a click on it has
    "scroll_in": -4.0,
    "scroll_in_asked": 6.0,  # the goal says so
    "scroll_in_missing": 2.0,  # what the goal names has not been seen yet
    # ---- what needs no element
    "scroll": -2.0,  # elements out of sight can be acted on without
    "scroll_asked": 8.0,  # the goal says so
    "scroll_away": -2.0,  # the goal says the other way
    "scroll_missing": 2.0,  # what the goal names has not been seen
    "wait": -3.0,  # pages come settled
    "wait_again": -1.0,  # waiting did not help
    "wait_until": 8.0,  # the number shown is not as demanded yet
    "go_back": -4.0,  # leaving loses what was done
    "done": -3.0,
    "done_ready": 3.0,  # nothing is left to do
    "done_sent": 6.0,  # and what the goal gives was written and sent off
    "blocked": -5.0,  # there is nearly always something left to try
    # ---- loops
    "repeat_idle": -1.5,  # the same action just changed nothing
    "round": -3.0,  # for each time that it led away from this very page before
}
