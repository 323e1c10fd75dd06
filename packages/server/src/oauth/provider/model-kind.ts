/** The kind under which the store keeps a model of the authorization server. */
export function kindOf(model: string): string {
  return `oauth.${model}`;
}

/** The kind of the mark that stands as long as something that works once has not been used: whoever takes it is first. */
export function unusedKindOf(model: string): string {
  return `oauth.${model}.unused`;
}
