"""Values, errors, settings, progress and spans: what all other folders use, and what uses none of them."""
