"""Read custom properties of CSS and variables of SCSS."""
