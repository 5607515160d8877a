import { assetPath } from './assets.ts'
import { type Html, type HtmlValue, html, trusted } from './html.ts'

export interface Crumb {
  readonly text: string
  readonly href?: string
}

export interface Layout {
  readonly title: string
  readonly crumbs?: readonly Crumb[]
  readonly head?: HtmlValue
  readonly main: HtmlValue
}

const DOCTYPE = trusted('<!doctype html>\n')

/** A whole document: one style sheet of our own, no script, nothing from another origin. */
export function layout({ title, crumbs = [], head, main }: Layout): string {
  return html`${DOCTYPE}<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('recto.css')}">
${head}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/">Recto</a>
${crumbs.length > 0 && breadcrumbs(crumbs)}
<a class="account" href="/sign-in">Account</a>
</header>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`.text
}

function breadcrumbs(crumbs: readonly Crumb[]): Html {
  const items = crumbs.map(({ text, href }, index) => {
    const current = index === crumbs.length - 1
    const shown =
      href === undefined
        ? html`<span>${text}</span>`
        : html`<a href="${href}"${current && trusted(' aria-current="page"')}>${text}</a>`
    return html`<li>${shown}</li>`
  })
  return html`<nav aria-label="Breadcrumbs"><ol class="crumbs">${items}</ol></nav>`
}
