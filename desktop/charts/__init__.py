"""Charts: findings become what is drawn (no widgets), then one painter draws it on screen, in PNG and in SVG."""
