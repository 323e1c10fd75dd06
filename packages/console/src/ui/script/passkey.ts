/** Asks the browser for a passkey when a form with a passkey field is sent, and puts the answer into the field; it sends nothing itself. */
export const passkeyScript = `
addEventListener("submit", async (event) => {
  const form = event.target, by = event.submitter;
  const field = form.querySelector("input[data-passkey]");
  if (!field || field.value || by?.formNoValidate || form.querySelector("input[type=password]")?.value) return;
  event.preventDefault();
  const says = form.querySelector("[role=alert]");
  try {
    const options = JSON.parse(field.dataset.options), { credentials } = navigator;
    const answer = field.dataset.passkey === "create"
      ? await credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    field.value = JSON.stringify(answer);
    form.requestSubmit(by);
  } catch (error) {
    says.textContent = error.name === "NotAllowedError"
      ? "No passkey was given. Try again, or use another way."
      : "This browser cannot use passkeys here. Use another way.";
  }
});
`;
