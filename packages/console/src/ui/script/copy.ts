/** A button beside each text to copy; times in the reader's own zone as a tooltip. */
export const copyScript = `
each("pre.copy", (text) => {
  const button = make("button", "Copy", { type: "button", className: "copy-button" });
  const what = text.getAttribute("aria-label");
  if (what) button.setAttribute("aria-label", "Copy: " + what);
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(text);
    // Pages over plain HTTP from another machine have no clipboard interface.
    const done = navigator.clipboard
      ? await navigator.clipboard.writeText(text.textContent).then(() => true, () => false)
      : document.execCommand("copy");
    button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  text.before(button);
});
each("time[datetime*=T]", (time) => { time.title = new Date(time.dateTime).toLocaleString(); });
`;
