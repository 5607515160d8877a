import { ID_PREFIX } from '@recto/lib/text/fragment.ts'
import { isRightToLeft } from '@recto/lib/text/right-to-left.ts'
import sanitizeHtml from 'sanitize-html'
import { IMAGE_SCHEMES, isAllowedImage, isAllowedLink, isExternal, LINK_SCHEMES, withPrefixedFragment } from './urls.ts'

export interface SanitisedHtml {
  readonly html: string
  /** For each marked link that was kept: the offset of its attributes in `html`, and its number. */
  readonly anchors: readonly { readonly offset: number; readonly link: number }[]
}

/** The elements that GitHub allows, except `picture` (images keep their `img`) and obsolete ones. */
export const ALLOWED_TAGS: ReadonlySet<string> = new Set(
  (
    'h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul table thead tbody tfoot ' +
    'blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike u summary details caption figure ' +
    'figcaption abbr bdo bdi cite dfn mark small span time wbr section input'
  ).split(' '),
)

const ALERTS = ['note', 'tip', 'important', 'warning', 'caution'].map((kind) => `alert-${kind}`)
const ALIGNED = ['align-left', 'align-center', 'align-right']
const CLASSES: Record<string, (string | RegExp)[]> = {
  a: ['anchor', 'footnote-backref'],
  code: ['language-*'],
  div: ['heading', 'table', 'alert', 'math', 'diagram', ...ALERTS],
  li: ['task-list-item'],
  ol: ['contains-task-list'],
  p: ['alert-title'],
  section: ['footnotes'],
  // highlight.js: `hljs-title function_`, `hljs-variable language_`.
  span: ['math', 'math-display', 'hljs-*', /^[a-z]+_{1,2}$/],
  sup: ['footnote-ref'],
  td: ALIGNED,
  th: ALIGNED,
  ul: ['contains-task-list'],
}
const ATTRIBUTES: Record<string, sanitizeHtml.AllowedAttribute[]> = {
  '*': ['id', 'title', 'lang', 'dir', 'align', 'aria-label', 'aria-hidden'],
  a: ['href', 'name', 'rel'],
  blockquote: ['cite'],
  del: ['cite', 'datetime'],
  details: ['open'],
  div: [
    { name: 'role', values: ['group', 'note'] },
    { name: 'tabindex', values: ['0'] },
  ],
  img: ['src', 'alt', 'width', 'height', 'loading'],
  input: ['type', 'checked', 'disabled'],
  ins: ['cite', 'datetime'],
  li: ['value'],
  ol: ['start', 'type', 'reversed'],
  pre: [{ name: 'tabindex', values: ['0'] }],
  q: ['cite'],
  section: [{ name: 'role', values: ['doc-endnotes'] }],
  table: ['width'],
  td: ['colspan', 'rowspan', 'headers', 'valign', 'width'],
  th: ['colspan', 'rowspan', 'headers', 'scope', 'abbr', 'valign', 'width'],
  time: ['datetime'],
  ul: ['type'],
}

/**
 * Blocks that get `dir="auto"`: their first strong character decides their direction (UAX 9, rule P2). Blocks within
 * them inherit it, and the style sheet orders the characters of each (`unicode-bidi: plaintext`).
 */
const DIRECTED_TAGS = new Set('h1 h2 h3 h4 h5 h6 p ul ol dl blockquote table summary figcaption'.split(' '))
const DIRECTED_DIV = /^(?:heading|table|alert)\b/
/** What may be such a character in HTML. */
const REFERENCE = /&(?:#|rlm;)/

/** Missing in the typings: attributes that are kept if they are empty. */
const ALLOW_EMPTY: object = { allowedEmptyAttributes: ['alt', 'href', 'src'] }
const ALLOWLIST: sanitizeHtml.IOptions = {
  allowedTags: [...ALLOWED_TAGS],
  allowedAttributes: ATTRIBUTES,
  allowedClasses: CLASSES,
  allowedSchemes: [...LINK_SCHEMES],
  allowedSchemesByTag: { img: [...IMAGE_SCHEMES] },
  ...ALLOW_EMPTY,
  nonTextTags: 'script style textarea title xmp iframe noembed noframes noscript plaintext template'.split(' '),
  disallowedTagsMode: 'discard',
  parseStyleAttributes: false,
}

/** Sanitises HTML with an allowlist: nothing may change it afterwards. `marker`, which numbers links, is removed. */
export function sanitise(html: string, marker: string): SanitisedHtml {
  const markedAttributes = new Map<sanitizeHtml.Attributes, number>()
  const anchors: { offset: number; link: number }[] = []
  let depth = 0
  /** The depth of the outermost open element with a direction; not used if all text is left to right. */
  let directedAt = isRightToLeft(html) || REFERENCE.test(html) ? Number.POSITIVE_INFINITY : -1
  const clean = sanitizeHtml(html, {
    ...ALLOWLIST,
    transformTags: {
      '*': (tagName, attribs) => {
        const tag = transform(tagName, attribs)
        const mark = tagName === 'a' ? attribs[marker] : undefined
        if (mark !== undefined) markedAttributes.set(tag.attribs, Number(mark))
        if (depth < directedAt && withDirection(tag)) directedAt = depth
        return tag
      },
    },
    onOpenTag: () => {
      depth++
    },
    onCloseTag: () => {
      if (depth === directedAt) directedAt = Number.POSITIVE_INFINITY
      depth--
    },
    // Called for each element at its end, with its offset in the result; removes nothing.
    exclusiveFilter: (frame) => {
      const link = frame.tag === 'a' ? markedAttributes.get(frame.attribs) : undefined
      if (link !== undefined) anchors.push({ offset: readPosition(frame) + '<a'.length, link })
      return false
    },
  })
  return { html: clean, anchors: anchors.sort((a, b) => a.offset - b.offset) }
}

/** Documented for `exclusiveFilter`, but missing in the typings. */
function readPosition(frame: sanitizeHtml.IFrame): number {
  return (frame as sanitizeHtml.IFrame & { readonly tagPosition: number }).tagPosition
}

/** Adds the direction to a block without one; returns whether the element has one now. */
function withDirection({ tagName, attribs }: sanitizeHtml.Tag): boolean {
  if (!ALLOWED_TAGS.has(tagName)) return false
  const isBlock = tagName === 'div' ? DIRECTED_DIV.test(attribs.class ?? '') : DIRECTED_TAGS.has(tagName)
  if (isBlock) attribs.dir ??= 'auto'
  return attribs.dir !== undefined
}

/** Must not change the name of a tag: sanitize-html does not restore it if it drops the tag. */
function transform(tagName: string, attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const attribs = { ...attributes }
  for (const name of ['id', 'name']) {
    const id = attribs[name]
    if (id !== undefined && !id.startsWith(ID_PREFIX)) attribs[name] = ID_PREFIX + id
  }
  if (tagName === 'a') return link(attribs)
  if (tagName === 'img') return image(attribs)
  if (tagName === 'input') return checkbox(attribs)
  // Focusable, so that a wide code block can be scrolled with the keyboard (WCAG 2.1.1).
  if (tagName === 'pre') attribs.tabindex = '0'
  return { tagName, attribs }
}

function link(attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const { rel: _, href, ...rest } = attribs
  if (href === undefined || !isAllowedLink(href)) return { tagName: 'a', attribs: rest }
  const target: sanitizeHtml.Attributes = { href: withPrefixedFragment(href) }
  if (isExternal(href)) target.rel = 'nofollow noopener noreferrer'
  return { tagName: 'a', attribs: { ...target, ...rest } }
}

function image(attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const { src, loading: _, ...rest } = attribs
  if (src === undefined || !isAllowedImage(src)) return { tagName: 'img', attribs: rest }
  return { tagName: 'img', attribs: { src, ...rest, loading: 'lazy' } }
}

/** The only control of a page is the disabled checkbox of a task. Every input becomes one. */
function checkbox(attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const label = attribs['aria-label']
  return {
    tagName: 'input',
    attribs: {
      type: 'checkbox',
      ...(attribs.checked === undefined ? {} : { checked: '' }),
      disabled: '',
      ...(label === undefined ? {} : { 'aria-label': label }),
    },
  }
}
