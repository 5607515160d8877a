import type { PageTemplate } from '../../../content/pages/templates/schema.ts'
import { assetPath } from '../assets/assets.ts'
import { errorNotice, hidden, selectField, textField } from '../controls.ts'
import { panes, unsavedData } from '../edit/edit-view.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, type HtmlValue, html, joinList, t, trusted } from '../html.ts'
import { pager } from '../rows.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { type SpaceList, spaceFilter } from '../spaces/space-cards.ts'
import { browseUrl, NEW_PAGE, newPageUrl, previewUrl } from '../urls.ts'

export interface NewPageView {
  readonly space: { readonly slug: string; readonly name: string }
  readonly title: string
  /** Empty: derived from the title. */
  readonly path: string
  /** The folder of the new page, if `path` is empty. */
  readonly parent: string
  readonly text: string
  readonly templates: readonly PageTemplate[]
  readonly template: PageTemplate | undefined
  readonly variables: ReadonlyMap<string, string>
  readonly preview?: string | undefined
  readonly failed?: FailedForm | undefined
  readonly actorId: string
  readonly unsavedAt?: string | undefined
  readonly maxFileBytes: number
  readonly nonce: string
}

/** Variables with built-in values. */
const OWN = new Set(['title', 'date', 'author'])

/** The id of a template in URLs and forms: its space and name. */
export function templateId({ space, name }: Pick<PageTemplate, 'space' | 'name'>): string {
  return `${space}/${name}`
}

/** The variables that the form asks for. */
function askedVariables(template: Pick<PageTemplate, 'variables'>): string[] {
  return template.variables.filter((name) => !OWN.has(name))
}

/** The first submit button of a form is what Enter presses: Enter in the title publishes no empty page. */
const noDefault = () => html`<button type="submit" disabled hidden>${t('Create page')}</button>\n`

/** The form for a new page: empty, or from a template. */
export function newPageScreen(view: NewPageView): Screen {
  const { space, template, failed } = view
  const place = (view.path || view.parent).replace(/\/$/, '')
  return {
    title: `${t('New page')} · ${space.name}`,
    crumbs: [
      { text: space.name, href: browseUrl(space.slug) },
      { text: t('New page'), href: newPageUrl(space.slug) },
    ],
    space: space.slug,
    ...(place !== '' && { path: place }),
    styleNonce: view.nonce,
    head: html`<meta name="style-nonce" content="${view.nonce}">
<meta name="maths-sheet" content="${assetPath('maths.css')}">\n`,
    sheets: ['editor.css'],
    islands: template ? ['new-page'] : ['new-page', 'editor'],
    main: html`<div class="screen wide editing">
<h1 class="visually-hidden">${t('New page')}</h1>
${errorNotice(failed)}
${picker(view)}
<form class="editor${template && trusted(' form wide')} new-page" method="post" action="${newPageUrl(space.slug)}"
  data-space="${space.slug}" data-max-file-bytes="${view.maxFileBytes}" data-preview="${previewUrl(
    space.slug,
    view.path || [view.parent, 'new page'].filter(Boolean).join('/'),
  )}" ${unsavedData(view)}>
${!template && noDefault()}${CSRF_FIELD}
${hidden('parent', view.parent)}
<div class="sheet-title">
${textField('title', t('Title'), {
  placeholder: t('Title'),
  value: view.title,
  required: true,
  maxLength: 200,
  autofocus: true,
  failed,
})}</div>
<details class="path"${failed && trusted(' open')}><summary>
${t('Path')} <span class="quiet">${view.path}</span></summary>
${textField('path', t('Path'), {
  value: view.path,
  maxLength: 1024,
  failed,
  help: t('The page’s path in the space, e.g. `guide/setup`. Leave empty to use the title.'),
})}
</details>
${template ? templateFields(view, template) : html`${panes(view.text, view.preview)}`}
<div class="save-bar">
<button class="button primary" type="submit">${t('Create page')}</button>
${
  !template &&
  html`<button class="button" type="submit" name="action" value="preview" data-without-script>${t('Preview')}</button>`
}
<a class="button plain" href="${browseUrl(space.slug)}">${t('Cancel')}</a>
<span class="state" role="status"></span>
</div>
</form>
</div>`,
  }
}

/** Choosing a template reloads the form with the variables of the template. */
function picker(view: NewPageView): HtmlValue {
  const { space, templates, template } = view
  if (templates.length === 0) return false
  const choices = [
    { value: '', text: t('No template') },
    ...templates.map((each) => ({
      value: templateId(each),
      text: each.space === space.slug ? each.title : `${each.title} (${each.space})`,
    })),
  ]
  return html`<form class="toolbar template-picker" method="get" action="${newPageUrl(space.slug)}">
${hidden('path', view.path)}${hidden('parent', view.parent)}${hidden('title', view.title)}
${selectField('template', t('Start from'), { choices, value: template ? templateId(template) : '' })}
<button class="button" type="submit">${t('Use template')}</button>
</form>`
}

function templateFields({ variables, failed }: NewPageView, template: PageTemplate): Html {
  const defaults = Object.entries(template.metadataDefaults)
  return html`${hidden('template', templateId(template))}
<fieldset><legend>${template.title}</legend>
${template.description !== null && html`<p>${template.description}</p>`}
${askedVariables(template).map((name) =>
  textField(`variables.${name}`, name, { value: variables.get(name) ?? '', required: true, failed }),
)}
${
  defaults.length > 0 &&
  html`<p>${t('It starts with the properties {properties}.', {
    properties: joinList(defaults.map(([key, value]) => html`<code>${key}: ${JSON.stringify(value)}</code>`)),
  })}</p>`
}
<p>${t('Creates the page from the template and opens it in the editor.')}</p>
</fieldset>`
}

/** Asks for the space of a new page, among those in which the reader may write. */
export function chooseSpaceScreen(view: SpaceList): Screen {
  const { spaces, name, cursor } = view
  const { items, nextCursor } = spaces
  const cards = items.map(
    ({ slug, name, description }) =>
      html`<li class="card"><h2><a class="cover" href="${newPageUrl(slug)}">${name}</a></h2>
${description !== '' && html`<p class="quiet">${description}</p>`}</li>`,
  )
  return {
    crumbs: [{ text: t('New page'), href: NEW_PAGE }],
    heading: t('New page'),
    column: '',
    main: html`<p>${t('Where should this page go?')}</p>
${spaceFilter(NEW_PAGE, view)}
${
  cards.length > 0
    ? html`<ul class="cards">${cards}</ul>`
    : html`<p class="quiet">
${nextCursor === null ? t('You can write in no further space.') : t('You can write in none of these spaces.')}</p>`
}
${pager(NEW_PAGE, { name }, { cursor, nextCursor })}`,
  }
}
