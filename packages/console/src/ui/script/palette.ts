/** The command palette (Ctrl+K): every link of the page and the navigation, and a search for what was typed. */
export const paletteScript = `
const places = () => {
  const links = [...document.querySelectorAll("header nav a, main a[href^='/']")];
  const seen = new Set();
  return links.flatMap((link) => {
    const name = link.textContent.trim().replace(/\\s+/g, " ");
    if (!name || seen.has(link.href)) return [];
    seen.add(link.href);
    return [{ name, href: link.href }];
  });
};
function openPalette() {
  if (document.querySelector("dialog[open]")) return;
  const dialog = make("dialog", "", { className: "palette" });
  dialog.setAttribute("aria-label", "Go to");
  const input = make("input", "", { type: "search", placeholder: "Go to a page, or search your data" });
  input.setAttribute("aria-label", "Go to a page, or search your data");
  const list = make("ul", "");
  const all = places();
  const show = () => {
    const text = input.value.trim();
    const found = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, 8);
    if (text) found.push({ name: "Search for “" + text + "”", href: "/console/search?q=" + encodeURIComponent(text) });
    list.replaceChildren(...found.map(({ name, href }) => {
      const item = make("li", "");
      item.append(make("a", name, { href }));
      return item;
    }));
    const off = kept(OFF);
    const toggle = make("button", off ? "Turn the keys / j k on" : "Turn the keys / j k off", { type: "button", className: "quiet" });
    toggle.addEventListener("click", () => { keep(OFF, off ? null : "yes"); dialog.close(); });
    const last = make("li", "");
    last.append(toggle);
    list.append(last);
  };
  dialog.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const items = [input, ...list.querySelectorAll("a, button")];
    if (step !== 0) {
      event.preventDefault();
      items[Math.max(0, Math.min(items.length - 1, items.indexOf(document.activeElement) + step))].focus();
    } else if (event.key === "Enter" && document.activeElement === input) list.querySelector("a")?.click();
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  input.addEventListener("input", show);
  dialog.append(input, list);
  document.body.append(dialog);
  show();
  dialog.showModal();
}
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openPalette();
  }
});
each(".side nav ul", (list) => {
  const item = make("li", "");
  const button = make("button", "Go to…", { type: "button", className: "quiet go-to", title: "Ctrl+K" });
  button.addEventListener("click", openPalette);
  item.append(button);
  list.append(item);
});
`;
