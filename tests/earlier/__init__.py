"""The large-board search as it was on 2026-11-21, never to be changed: the opponent that a later one must not lose to.

See docs/decisions/0005-earlier-self.md. Only the modules that hold no chess of their own, ``bits`` and
``control``, are shared with the search of today.
"""
