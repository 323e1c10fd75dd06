/** A choice with its preview: every change is shown before it can be approved. Select-all for the streams of a source. */
export const previewScript = `
each("form[data-preview]", (form) => {
  const approve = form.querySelector("[value=approve]");
  const show = debounce(async () => {
    const body = new URLSearchParams(new FormData(form));
    body.set("do", "update");
    try {
      const page = await ask(form.action, { method: "POST", body });
      if (!renew(form.dataset.preview, page)) return;
      const digest = page.querySelector("[name=digest]");
      if (digest) form.elements.digest.value = digest.value;
      if (approve) approve.disabled = page.querySelector("[value=approve]")?.disabled ?? true;
    } catch (error) { if (error.name !== "AbortError") throw error; }
  }, 250);
  form.addEventListener("change", ({ target }) => {
    if (/^(looked|training|client|password|$)/.test(target.name)) return;
    if (approve) approve.disabled = true;
    if (form.elements.looked) form.elements.looked.checked = false;
    show();
  });
});
each("fieldset[data-all]", (group) => {
  const boxes = [...group.querySelectorAll("input[name=stream]")];
  if (boxes.length < 2) return;
  const button = make("button", "", { type: "button", className: "quiet all" });
  const name = () => { button.textContent = boxes.every((box) => box.checked) ? "None of these" : "All of these"; };
  button.addEventListener("click", () => {
    const to = !boxes.every((box) => box.checked);
    boxes.forEach((box) => { box.checked = to; });
    name();
    boxes[0].dispatchEvent(new Event("change", { bubbles: true }));
  });
  group.addEventListener("change", name);
  name();
  group.querySelector("legend").after(button);
});
`;
