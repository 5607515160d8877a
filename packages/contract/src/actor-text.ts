/** An author with what a reader needs to judge a text: `Ann (human, via Claude)`; nothing for one who is not named. */
export function actorText(author: AuthorName | undefined): string {
  if (!author) return ''
  const { name, kind, via } = author
  return `${name} (${kind}${via === undefined ? '' : `, via ${via}`})`
}

interface AuthorName {
  readonly name: string
  readonly kind: string
  /** The app that acted for the author. */
  readonly via?: string | undefined
}

/** Whether a value of a response is an author. */
export function isActor(value: unknown): value is AuthorName & { readonly id: string } {
  return typeof value === 'object' && value !== null && 'id' in value && 'name' in value && 'kind' in value
}
