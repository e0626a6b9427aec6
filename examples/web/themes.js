// Each axis of the tokens is an attribute. Without it, the theme follows the system, and the season is winter.
for (const select of document.querySelectorAll("select[data-axis]")) {
  select.addEventListener("change", () => {
    const { dataset } = document.documentElement;
    if (select.value === "system") delete dataset.theme;
    else dataset[select.dataset.axis] = select.value;
  });
}
