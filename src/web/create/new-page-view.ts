import type { Space } from '../../spaces/schema.ts'
import type { PageTemplate } from '../../templates/schema.ts'
import { browseUrl, NEW_PAGE, newPageUrl, previewUrl } from '../addresses.ts'
import { assetPath } from '../assets.ts'
import { errorNotice, hidden, selectField, textField } from '../controls.ts'
import { panes } from '../edit/edit-view.ts'
import { type Html, type HtmlValue, html } from '../html.ts'
import { layout } from '../layout.ts'
import type { Attempt } from '../screen.ts'

export interface NewPageView {
  readonly space: { readonly slug: string; readonly name: string }
  readonly title: string
  /** Empty: it follows from the title. */
  readonly path: string
  /** The folder in which it then is made. */
  readonly parent: string
  readonly text: string
  readonly templates: readonly PageTemplate[]
  readonly template: PageTemplate | undefined
  readonly variables: ReadonlyMap<string, string>
  readonly preview?: string | undefined
  readonly attempt?: Attempt | undefined
  readonly actorId: string
  readonly csrf: Html | undefined
  readonly nonce: string
}

/** Variables that have values of their own. */
const OWN = new Set(['title', 'date', 'author'])

/** What a template is asked for by: its space and name. */
export function templateId({ space, name }: Pick<PageTemplate, 'space' | 'name'>): string {
  return `${space}/${name}`
}

/** The variables that whoever makes the page has to give. */
function askedVariables(template: Pick<PageTemplate, 'variables'>): string[] {
  return template.variables.filter((name) => !OWN.has(name))
}

/** The screen where a page is made: empty, or from a template. */
export function newPageDocument(view: NewPageView): string {
  const { space, template, attempt } = view
  return layout({
    title: `New page · ${space.name}`,
    crumbs: [
      { text: space.name, href: browseUrl(space.slug) },
      { text: 'New page', href: newPageUrl(space.slug) },
    ],
    space: space.slug,
    head: html`<meta name="style-nonce" content="${view.nonce}">
<meta name="maths-sheet" content="${assetPath('maths.css')}">\n`,
    sheets: ['editor.css'],
    islands: template ? ['new-page'] : ['new-page', 'editor'],
    main: html`<div class="screen wide editing">
<h1>New page</h1>
${errorNotice(attempt)}
${picker(view)}
<form class="editor form wide new-page" method="post" action="${newPageUrl(space.slug)}" data-space="${space.slug}" data-preview="${previewUrl(space.slug, view.path || [view.parent, 'new page'].filter(Boolean).join('/'))}" data-draft="${view.actorId}/${space.slug}/ new">
${view.csrf}
${hidden('parent', view.parent)}
<div class="two">
${textField({ name: 'title', label: 'Title', value: view.title, required: true, maxLength: 200, autofocus: true, attempt })}
${textField({ name: 'path', label: 'Path', value: view.path, maxLength: 1024, attempt, help: 'The page’s path in the space, e.g. `guide/setup`. Leave empty to use the title.' })}
</div>
${template ? templateFields(view, template) : html`${panes(view.text, view.preview)}`}
<div class="save-bar">
<button class="button primary" type="submit">Create page</button>
${!template && html`<button class="button" type="submit" name="action" value="preview" data-without-script>Preview</button>`}
<a class="button plain" href="${browseUrl(space.slug)}">Cancel</a>
<span class="state" role="status"></span>
</div>
</form>
</div>`,
  })
}

/** Choosing a template loads the screen again, with what it asks for. */
function picker(view: NewPageView): HtmlValue {
  const { space, templates, template } = view
  if (templates.length === 0) {
    return html`<p class="quiet">A page below <code>templates/</code> of a space is a template: its text is what new pages begin with.</p>`
  }
  const choices = [
    { value: '', text: 'No template' },
    ...templates.map((each) => ({
      value: templateId(each),
      text: each.space === space.slug ? each.title : `${each.title} (${each.space})`,
    })),
  ]
  return html`<form class="toolbar template-picker" method="get" action="${newPageUrl(space.slug)}">
${hidden('path', view.path)}${hidden('parent', view.parent)}${hidden('title', view.title)}
${selectField({ name: 'template', label: 'Start from', choices, value: template ? templateId(template) : '' })}
<button class="button" type="submit">Use template</button>
</form>`
}

function templateFields({ variables, attempt }: NewPageView, template: PageTemplate): Html {
  const defaults = Object.entries(template.metadataDefaults)
  return html`${hidden('template', templateId(template))}
<fieldset><legend>${template.title}</legend>
${template.description !== null && html`<p>${template.description}</p>`}
${askedVariables(template).map((name) =>
  textField({
    name: `variables.${name}`,
    label: name,
    value: variables.get(name) ?? '',
    required: true,
    attempt,
  }),
)}
${defaults.length > 0 && html`<p>Its metadata begins with ${defaults.map(([key, value], index) => html`${index > 0 && ', '}<code>${key}: ${JSON.stringify(value)}</code>`)}.</p>`}
<p>Creates the page from the template and opens it in the editor.</p>
</fieldset>`
}

/** Where a page can be made, for who has not said. */
export function chooseSpaceDocument(spaces: readonly Space[]): string {
  const cards = spaces.map(
    ({ slug, name, description }) =>
      html`<li class="card"><h2><a class="cover" href="${newPageUrl(slug)}">${name}</a></h2>${description !== '' && html`<p class="quiet">${description}</p>`}</li>`,
  )
  return layout({
    title: 'New page · Recto',
    crumbs: [{ text: 'New page', href: NEW_PAGE }],
    main: html`<div class="screen">
<h1>New page</h1>
<p>Where should this page go?</p>
<ul class="cards">${cards}</ul>
</div>`,
  })
}
