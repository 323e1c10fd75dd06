/** Uploads: files and folders dropped on the form, progress with the time left, and a button that cancels. */
export const uploadScript = `
const formatMb = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0) + " MB";
const formatLeft = (seconds) => seconds < 90 ? seconds + " s" : Math.round(seconds / 60) + " min";
async function listEntry(entry, path = "") {
  if (entry.isFile) return [[await new Promise((done, fail) => entry.file(done, fail)), path + entry.name]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) break;
    for (const each of some) found.push(...await listEntry(each, path + entry.name + "/"));
  }
  return found;
}
each("form[data-upload]", (form) => {
  const input = form.querySelector("input[type=file]");
  const hint = make("p", "Or drop files and folders here.", { className: "small drop-hint" });
  hint.setAttribute("role", "status");
  input.after(hint);
  let dropped = [];
  const say = (text) => { hint.textContent = text; };
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", async (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const loose = [...event.dataTransfer.files].map((file) => [file, file.name]);
    dropped = entries.length > 0 ? (await Promise.all(entries.map((entry) => listEntry(entry)))).flat() : loose;
    input.required = dropped.length === 0;
    say(dropped.length === 0 ? "No file was dropped." : dropped.length === 1 ? "1 file dropped: " + dropped[0][1] : dropped.length + " files dropped");
  });
  input.addEventListener("change", () => { dropped = []; say(input.files.length > 1 ? input.files.length + " files chosen" : ""); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const data = new FormData(form);
    if (dropped.length > 0) {
      data.delete("file");
      for (const [file, path] of dropped) data.append("file", file, path);
    }
    const request = new XMLHttpRequest();
    const bar = make("progress", "", { max: 1, value: 0 });
    bar.setAttribute("aria-label", "Upload");
    const status = make("p", "Uploading…");
    status.setAttribute("role", "status");
    const cancel = make("button", "Cancel the upload", { type: "button" });
    cancel.addEventListener("click", () => request.abort());
    const shown = make("div", "", { className: "card" });
    shown.append(status, bar, cancel);
    form.hidden = true;
    form.after(shown);
    const started = Date.now();
    request.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
      if (!lengthComputable) return;
      bar.max = total;
      bar.value = loaded;
      const seconds = Math.ceil(((Date.now() - started) / 1000) * (total / loaded - 1));
      status.textContent = formatMb(loaded) + " of " + formatMb(total) + " uploaded" + (loaded < total ? ", about " + formatLeft(seconds) + " left" : ". Looking at it…");
    });
    request.upload.addEventListener("load", () => cancel.remove());
    const back = (text) => { shown.remove(); form.hidden = false; say(text); };
    request.addEventListener("abort", () => back("Cancelled: nothing was stored."));
    request.addEventListener("error", () => back("The upload broke off. Try it again."));
    request.addEventListener("load", () => {
      if (new URL(request.responseURL).pathname !== "/console/import") { location.href = request.responseURL; return; }
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      back(page.querySelector("main .lead")?.textContent ?? "The upload was refused.");
    });
    request.open("POST", form.action);
    request.send(data);
  });
});
`;
