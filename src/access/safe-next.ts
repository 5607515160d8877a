/** Where a browser goes after signing in: the path, where it stays on this origin, else the start page. */
export function safeNext(next: string | undefined): string {
  // Any origin serves to resolve against, as long as nobody else can name it.
  const base = 'http://next.invalid'
  if (!next?.startsWith('/')) return '/'
  const url = URL.parse(next, base)
  if (url?.origin !== base) return '/'
  const path = url.pathname + url.search + url.hash
  // `/.//host` resolves to a path that is the address of another host when it stands alone.
  return path.startsWith('//') ? '/' : path
}
