import assert from 'node:assert/strict'

const ELEMENTS = new Set(
  (
    'a abbr b bdi bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 ' +
    'h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong sub ' +
    'summary sup table tbody td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
)
const ATTRIBUTES = new Set(
  (
    'abbr align alt aria-hidden aria-label checked cite class colspan datetime dir disabled headers height href id ' +
    'lang loading name open rel reversed role rowspan scope src start tabindex title type valign value width'
  ).split(' '),
)
const URLS = new Set(['href', 'src', 'cite'])
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<]*")?)*)( \/)?>/y
const ATTRIBUTE = / ([a-z-]+)(?:="([^"<]*)")?/g

/**
 * Asserts that sanitised HTML holds nothing that acts. It is read by a grammar far narrower than HTML's, in
 * which every `<` begins a plain tag, so that there is nothing that a browser could read in another way.
 */
export function assertHarmless(html: string, of = ''): void {
  const open: string[] = []
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) {
    TAG.lastIndex = at
    const tag = TAG.exec(html)
    assert.ok(tag, `not a plain tag: ${html.slice(at, at + 80)} (${of})`)
    const [, close, name = '', attributes = '', selfClosing] = tag
    assert.ok(ELEMENTS.has(name), `<${name}> (${of})`)
    if (close) assert.equal(open.pop(), name, `closes another element (${of})`)
    else if (!selfClosing) open.push(name)
    for (const [, key = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
      assert.ok(ATTRIBUTES.has(key), `<${name} ${key}> (${of})`)
      if (key === 'id' || key === 'name') assert.match(value, /^user-content-/, of)
      if (URLS.has(key)) assertHarmlessUrl(decoded(value), of)
    }
    if (name === 'input') assert.match(attributes, /^ type="checkbox"(?: checked)? disabled(?: aria-label="[^"]*")?$/)
  }
  assert.deepEqual(open, [], `left open (${of})`)
}

function assertHarmlessUrl(url: string, of: string): void {
  // What a browser would make of it, white space and control characters dropped as it does.
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.replace(/[\0-\x20\x7f-\xa0\u2028\u2029]/g, ''))?.[1]
  assert.ok(scheme === undefined || /^(?:https?|mailto)$/i.test(scheme), `URL ${url} (${of})`)
  const { protocol } = URL.parse(url, 'https://recto.example/pages/a/b') ?? {}
  assert.ok(protocol === undefined || /^(?:https?|mailto):$/.test(protocol), `URL ${url} (${of})`)
}

function decoded(value: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return value.replace(/&(amp|lt|gt|quot);/g, (_, name) => named[name] ?? '')
}
