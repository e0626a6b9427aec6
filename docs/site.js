// The theme's search dialog has no name for screen readers.
for (const dialog of document.querySelectorAll(".md-search[role=dialog]")) {
  dialog.setAttribute("aria-label", "Search");
}

// It puts tables into elements that scroll, which a keyboard has to reach.
function reach() {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    table.setAttribute("tabindex", "0");
  }
}
reach();
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
