/** What a query parameter can be; `undefined` leaves it out. */
export type QueryValue = string | number | boolean | undefined

/**
 * The target of a page, or of something behind it. With its slashes encoded a path is never taken for a sub-resource;
 * a path that itself ends in `.md` gets a second one, since the service cuts one off.
 */
export function pageTarget(space: string, path: string, behind = ''): string {
  return `/pages/${encodeURIComponent(space)}/${encodeURIComponent(endsInMd(path) ? `${path}.md` : path)}${behind}`
}

/** The target of the Markdown of a page. */
export function markdownTarget(space: string, path: string): string {
  return `/pages/${encodeURIComponent(space)}/${encodeURIComponent(`${path}.md`)}`
}

/** The target of a space, or of something behind it. */
export function spaceTarget(slug: string, behind = ''): string {
  return `/spaces/${encodeURIComponent(slug)}${behind}`
}

/** The target with a query of those parameters that have a value. */
export function withQuery(target: string, query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size === 0 ? target : `${target}?${parameters}`
}

/** Whether the service would take the end of the path for the suffix that asks for Markdown. */
export function endsInMd(path: string): boolean {
  return path.endsWith('.md') && path !== '.md' && !path.endsWith('/.md')
}
