import type { FirstStep } from '../../../identity/people/first-steps.ts'
import { buttonForm } from '../controls.ts'
import { type Html, type HtmlValue, html } from '../html.ts'
import { rows } from '../rows.ts'
import { adminUrl, CONNECT, dismissStepUrl, GALLERY, importUrl, NEW_PAGE, NEW_SPACE, newPageUrl } from '../urls.ts'

/** What a person does next, until each step is done or dismissed. */
export function stepsSection(steps: readonly FirstStep[], hasSpace: boolean): Html | false {
  if (steps.length === 0) return false
  const list = steps.map((step) => {
    const [href, about] = describeOffer(step, hasSpace)
    const label = `Dismiss: ${NAMES[step]}`
    const actions = buttonForm({ action: dismissStepUrl(step), text: 'Dismiss', label })
    return { title: html`<a href="${href}">${NAMES[step]}</a>`, about, actions }
  })
  return html`<section aria-labelledby="next-steps"><h2 id="next-steps">Next steps</h2>
${rows('Next steps', list, html``)}
${steps.length > 1 && html`<div class="buttons">${buttonForm({ action: dismissStepUrl('all'), text: 'Dismiss all' })}</div>`}
</section>`
}

const NAMES: Readonly<Record<FirstStep, string>> = {
  space: 'Create your first space',
  page: 'Write your first page',
  invite: 'Invite a colleague',
  assistant: 'Connect an assistant',
  import: 'Import pages',
}

/** Where a step begins, and what it is about. */
function describeOffer(step: FirstStep, hasSpace: boolean): readonly [href: string, about: HtmlValue] {
  switch (step) {
    case 'space':
      return [
        GALLERY,
        html`Spaces group related pages. Start from a template or with <a href="${NEW_SPACE}">an empty space</a>.`,
      ]
    case 'page':
      return [
        hasSpace ? NEW_PAGE : newPageUrl('personal'),
        html`In a space, or among <a href="${newPageUrl('personal')}">your own pages</a>, which nobody else sees.`,
      ]
    case 'invite':
      return [adminUrl('invitations'), 'They get a link by mail, or you copy it. It works once.']
    case 'assistant':
      return [CONNECT, 'It reads and writes pages for you, in the spaces that you choose.']
    case 'import':
      return [
        importUrl('personal'),
        'A folder of Markdown files, or an export of Obsidian, Notion, Outline or Recto, into your own pages. For another space: its Settings, then Import.',
      ]
  }
}
