/** The redirect target after signing in: the path, if it stays on this origin, else the home page. */
export function safeNext(next: string | undefined): string {
  // Any base URL works, as long as no caller can know it.
  const base = 'http://next.invalid'
  if (!next?.startsWith('/')) return '/'
  const url = URL.parse(next, base)
  if (url?.origin !== base) return '/'
  const path = url.pathname + url.search + url.hash
  // `/.//host` resolves to a path that would be a protocol-relative URL of another host.
  return path.startsWith('//') ? '/' : path
}
