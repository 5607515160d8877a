/** Value of a query parameter; `undefined` omits it. */
export type QueryValue = string | number | boolean | readonly string[] | undefined

/** URL of a page. Encoded slashes distinguish the path from sub-resources. */
export function pageTarget(space: string, path: string): string {
  return `/pages/${encodeURIComponent(space)}/${encodePagePath(path)}`
}

/** The path of a page in a URL. One that ends in `.md` gets a second one, because the service removes one. */
export function encodePagePath(path: string): string {
  return encodeURIComponent(endsInMd(path) ? `${path}.md` : path)
}

/** URL of the Markdown of a page. */
export function markdownTarget(space: string, path: string): string {
  return `/pages/${encodeURIComponent(space)}/${encodeURIComponent(`${path}.md`)}`
}

/** Tag of a template: its values are encoded as segments of a path. */
export function route(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.map((part, index) => part + encodeURIComponent(values[index] ?? '')).join('')
}

/** Appends the query parameters that have a value. */
export function targetWithQuery(target: string, query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    // Orders are JSON, which has commas; other lists are joined by them.
    const values = name === 'sort' && Array.isArray(value) ? value : [value]
    for (const each of values) if (each !== undefined) parameters.append(name, String(each))
  }
  return parameters.size === 0 ? target : `${target}?${parameters}`
}

/** Whether the service would interpret the end of the path as the suffix for Markdown. */
export function endsInMd(path: string): boolean {
  return path.endsWith('.md') && path !== '.md' && !path.endsWith('/.md')
}
