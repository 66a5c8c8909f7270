"""The hand-set weights: how much each named feature speaks for a candidate. Data, with the reason beside each."""

# A clear sign is worth about 4, a hint 1 to 2; a reason against outweighs one clear sign.
WEIGHTS: dict[str, float] = {
    # ---- clicking
    "click": 0.0,
    "click_quoted": 4.0,  # its name is quoted
    "click_named": 3.0,  # its whole name stands in the goal
    "click_ordinal": 4.0,  # "the 2nd checkbox"
    "click_described": 4.0,  # "the small red circle"
    "click_extreme": 4.0,  # "the longest", "the cheapest"
    "click_answer": 5.0,  # it states the answer the goal asks for
    "click_first_pending": 2.0,  # of what is left, the goal says this first
    "click_words": 2.5,  # shares rare words with the goal
    "click_name_share": 1.0,  # most of its name is in the goal
    "click_hint": 2.0,  # its class or id says what the goal says
    "click_context": 1.5,  # its row or group holds a rare word of the goal
    "click_word_in_context": 3.0,  # and its own words are in the goal too
    "click_role_word": 1.0,  # the goal says "button", and it is one
    "click_done": -5.0,  # it was clicked or is on already
    "click_idle": -3.0,  # the last click on it did nothing
    "click_same_name": -1.0,  # one of the same name was clicked
    "click_field": -1.0,  # a field wants text rather than a click
    "click_box": -1.0,  # a box the goal does not mention stays as it is
    "click_drawing": -1.0,  # the whole drawing is rarely the target
    # ---- confirming
    "submit": 0.5,
    "submit_named": 1.0,  # the goal says to press it
    "submit_ready": 3.0,  # nothing is left to do before
    "submit_too_early": -6.0,  # fields to fill or boxes to check first
    "submit_missing": -1.0,  # what the goal names has not been seen yet
    "submit_idle": -3.0,
    # ---- uncovering what the goal names and the page does not show
    "open_collapsed": 3.0,
    "open_hint": 2.0,
    "open_next": 2.5,
    "open_again": -1.0,
    # ---- typing
    "type": -0.5,
    "type_quoted": 3.0,
    "type_labelled": 2.5,
    "type_named": 2.5,
    "type_email": 1.5,
    "type_url": 1.0,
    "type_handle": 0.5,
    "type_date": 2.0,
    "type_time": 2.0,
    "type_number": 1.5,
    "type_capitalised": 1.5,
    "type_phrase": 0.5,
    "type_token": -0.5,
    "type_page_text": 1.5,
    "type_page_value": 3.5,
    "type_computed": 4.5,
    "type_label": 3.0,
    "type_other_field": -3.0,
    "type_filled": -3.0,
    "type_again": -6.0,
    "type_retry": -2.0,
    "type_used": -4.0,
    "type_control_name": -5.0,
    "type_first_empty": 0.8,
    "type_first_value": 0.5,
    "type_sole_field": 0.5,
    "type_no_request": -4.0,
    "type_focused": 0.2,
    "type_form_fits": 2.0,
    "type_form_misfits": -2.0,
    "type_ordinal": 2.0,
    "type_ordinal_other": -2.0,
    # ---- choosing an option
    "select": 0.0,
    "select_quoted": 5.0,
    "select_named": 5.0,
    "select_words": 3.0,
    "select_label": 0.5,
    "select_again": -2.0,
    # ---- keys
    "press": -2.0,
    "press_enter_ours": 1.0,
    "press_enter_no_button": 4.0,
    "press_escape": -1.0,
    "press_slider_step": 6.0,
    "press_slider_big": 6.5,
    "press_slider_over": -2.0,
    "press_slider_jump": 0.0,
    "press_slider_away": -4.0,
    "press_slider_done": -4.0,
    # ---- what needs no element
    "scroll": -2.0,
    "scroll_asked": 7.0,
    "scroll_not_asked": -2.0,
    "scroll_missing": 2.0,
    "scroll_idle": -4.0,
    "wait": -3.0,
    "wait_again": -1.0,
    "go_back": -4.0,
    "done": -3.0,
    "done_ready": 3.0,
    "blocked": -5.0,
    # ---- loops
    "repeat_idle": -3.0,  # the same action just changed nothing
}
