const MAX_MENTIONS = 50
const PERSON = /^\/people\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The ids in the links to people of a text (`/people/<id>`), each once. */
export function listMentions(links: readonly { readonly href: string }[], publicOrigin: string): string[] {
  const ids = links.flatMap(({ href }) => {
    const path = href.startsWith(publicOrigin) ? href.slice(publicOrigin.length) : href
    return PERSON.exec(path)?.[1] ?? []
  })
  return [...new Set(ids)].slice(0, MAX_MENTIONS)
}
