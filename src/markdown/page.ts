import MarkdownIt from 'markdown-it'

export interface Heading {
  readonly level: number
  readonly text: string
  readonly id: string
  readonly line: number
}

export interface BodyLink {
  readonly href: string
  readonly text: string
  readonly line: number
}

export interface PageFacts {
  readonly title: string | undefined
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly headings: readonly Heading[]
  readonly links: readonly BodyLink[]
}

export interface RenderedPage extends PageFacts {
  readonly html: string
  readonly anchors: readonly { readonly offset: number; readonly link: number }[]
}

/** What the body says of itself. */
export function analysePage(body: string): PageFacts {
  return { title: /^#+ (.*)$/m.exec(body)?.[1], frontmatter: {}, headings: [], links: [] }
}

/** The body as HTML, with what it says of itself. */
export function renderPage(body: string): RenderedPage {
  return { ...analysePage(body), html: new MarkdownIt().render(body), anchors: [] }
}
