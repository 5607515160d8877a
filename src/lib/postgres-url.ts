/**
 * The addresses of `postgres://user@a:5432,b:5432/db?target_session_attrs=read-write`, one for each host and in their order;
 * as libpq has it, the hosts may also be the parameter `host`, and their ports `port`. Nothing where it is no such
 * address. `target_session_attrs` is left out: whoever connects keeps to it.
 */
export function hostUrls(text: string): readonly string[] | undefined {
  const parts = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#@]*)(.*)$/i.exec(text)
  if (!parts) return undefined
  const [, scheme = '', user = '', authority = '', rest = ''] = parts
  const hosts = authority.split(',')
  const urls = hosts.map((host) => URL.parse(`${scheme}${user}${host}${rest}`))
  const found: string[] = []
  for (const [index, url] of urls.entries()) {
    if (!url || (hosts.length > 1 && hosts[index] === '')) return undefined
    const named = url.searchParams.get('host')?.split(',') ?? []
    const ports = url.searchParams.get('port')?.split(',') ?? []
    if (ports.length > 1 && ports.length !== named.length) return undefined
    url.searchParams.delete('target_session_attrs')
    if (named.length < 2) found.push(url.href)
    else if (hosts.length > 1) return undefined
    for (const [place, host] of named.length < 2 ? [] : named.entries()) {
      url.searchParams.set('host', host)
      const port = ports[place] ?? ports[0]
      if (port !== undefined) url.searchParams.set('port', port)
      found.push(url.href)
    }
  }
  return found
}

/** What the address says a session must allow; absent where it says nothing. */
export function targetSessionAttributes(text: string): string | undefined {
  return new URLSearchParams(text.split('?')[1]).get('target_session_attrs') ?? undefined
}
