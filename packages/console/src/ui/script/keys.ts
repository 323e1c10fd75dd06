/** Single keys: / to search, j and k through the items of a list. They can be turned off (WCAG 2.1.4). */
export const keysScript = `
const OFF = "rungs-keys-off";
const keep = (name, value) => { try { value === null ? localStorage.removeItem(name) : localStorage.setItem(name, value); } catch {} };
const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
const isTyping = ({ target }) => target.closest("input, select, textarea, [contenteditable], dialog");
function move(step) {
  const items = [...document.querySelectorAll("[data-item]")].map((item) => item.querySelector("a")).filter(Boolean);
  const at = items.findIndex((link) => link.closest("[data-item]").contains(document.activeElement));
  items[Math.max(0, Math.min(items.length - 1, at + step))]?.focus();
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || kept(OFF)) return;
  const box = document.querySelector("main input[type=search]");
  if (event.key === "/") {
    event.preventDefault();
    if (box) box.select(), box.focus(); else location.href = "/console/search";
  } else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
});
each("[data-hide]", (part) => {
  const name = "rungs-hidden-" + part.dataset.hide;
  if (kept(name)) part.remove();
  const button = make("button", "Hide this", { type: "button", className: "quiet" });
  button.addEventListener("click", () => { keep(name, "yes"); part.remove(); });
  part.append(button);
});
`;
