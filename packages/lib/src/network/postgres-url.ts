/**
 * The hosts of `postgres://user@a:5432,b:5432/db?target_session_attrs=read-write`, in their order; as in libpq, the
 * parameters `host` and `port` can also name them. Empty if it is not such a URL. `target_session_attrs` is removed:
 * the caller of connect checks it.
 */
export function hostUrls(text: string): readonly string[] | undefined {
  const parts = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#@]*)(.*)$/i.exec(text)
  if (!parts) return undefined
  const [, scheme = '', user = '', authority = '', rest = ''] = parts
  const hosts = authority.split(',')
  const urls = hosts.map((host) => URL.parse(`${scheme}${user}${host}${rest}`))
  const hostAddresses: string[] = []
  for (const [index, url] of urls.entries()) {
    if (!url || (hosts.length > 1 && hosts[index] === '')) return undefined
    url.searchParams.delete('target_session_attrs')
    const namedHostList = namedHosts(url)
    if (!namedHostList || (namedHostList.length > 1 && hosts.length > 1)) return undefined
    for (const one of namedHostList) hostAddresses.push(one)
  }
  return hostAddresses
}

/** One URL for each host of the parameter `host`; undefined if the number of ports differs. */
function namedHosts(url: URL): readonly string[] | undefined {
  const hosts = url.searchParams.get('host')?.split(',') ?? []
  const ports = url.searchParams.get('port')?.split(',') ?? []
  if (ports.length > 1 && ports.length !== hosts.length) return undefined
  if (hosts.length < 2) return [url.href]
  return hosts.map((host, index) => {
    url.searchParams.set('host', host)
    const port = ports[index] ?? ports[0]
    if (port !== undefined) url.searchParams.set('port', port)
    return url.href
  })
}

/** The value of `target_session_attrs`, if present. */
export function targetSessionAttributes(text: string): string | undefined {
  return new URLSearchParams(text.split('?')[1]).get('target_session_attrs') ?? undefined
}
