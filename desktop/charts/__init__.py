"""Charts: findings become figures (no widgets), then one painter draws them on screen, in PNG and in SVG."""
