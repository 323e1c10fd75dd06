/** A choice with its preview: every change is previewed before it can be approved, and updates the choices. */
export const previewScript = `
const findAgain = (form, { id, name, value, type }) => type === "checkbox"
  ? [...form.querySelectorAll("input[type=checkbox]")].find((box) => box.name === name && box.value === value)
  : id ? document.getElementById(id) : form.elements[name];
each("form[data-preview]", (form) => {
  const parts = form.dataset.preview.split(" ");
  const approve = () => form.querySelector("[value=approve]");
  each(".choices", (list) => {
    const group = list.querySelector(":checked")?.closest("fieldset.card");
    if (group) list.scrollTop += group.getBoundingClientRect().top - list.getBoundingClientRect().top;
  }, form);
  let timer;
  async function show(doing) {
    clearTimeout(timer);
    const body = new URLSearchParams(new FormData(form));
    body.delete("looked");
    body.set("do", doing);
    try {
      const page = await ask(form.action, { method: "POST", body });
      const open = new Map([...form.querySelectorAll("details[id]")].map((part) => [part.id, part.open]));
      const typed = form.querySelector("input[type=password]")?.value;
      const old = document.activeElement;
      const isMine = form.contains(old) && old.name;
      const tops = parts.map((part) => document.getElementById(part)?.scrollTop ?? 0);
      parts.forEach((part, at) => { if (renew(part, page)) document.getElementById(part).scrollTop = tops[at]; });
      open.forEach((isOpen, id) => { const part = document.getElementById(id); if (part) part.open = isOpen; });
      const box = form.querySelector("input[type=password]");
      if (box && typed) box.value = typed;
      if (!isMine || form.contains(old)) return;
      const again = findAgain(form, old);
      if (!again) { form.querySelector("#streams").querySelector("input")?.focus(); return; }
      again.focus({ preventScroll: true });
      if (again.type === "search") {
        again.value = old.value;
        again.setSelectionRange(old.selectionStart, old.selectionEnd);
      }
    } catch (error) { if (error.name !== "AbortError") throw error; }
  }
  const changed = ({ target }) => {
    if (/^(looked|training|client|password|preset|$)/.test(target.name)) return;
    if (approve()) approve().disabled = true;
    if (form.elements.looked) form.elements.looked.checked = false;
    // Drop an in-flight response: it predates this change and would undo it.
    asking?.abort();
    clearTimeout(timer);
    timer = setTimeout(() => show("update"), 250);
  };
  form.addEventListener("change", (event) => { if (event.target.type !== "search") changed(event); });
  form.addEventListener("input", (event) => { if (event.target.type === "search") changed(event); });
  form.addEventListener("submit", (event) => {
    const doing = event.submitter?.value ?? "";
    if (!/^(update|page:\\d+|(all|none):.*)$/.test(doing)) return;
    event.preventDefault();
    show(doing);
  });
});
`;
