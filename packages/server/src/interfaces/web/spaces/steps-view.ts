import type { FirstStep } from '../../../identity/people/first-steps.ts'
import { buttonForm } from '../controls.ts'
import { type Html, type HtmlValue, html, msg, t } from '../html.ts'
import { rows } from '../rows.ts'
import { adminUrl, CONNECT, dismissStepUrl, GALLERY, importUrl, NEW_PAGE, NEW_SPACE, newPageUrl } from '../urls.ts'

/** What a person does next, until each step is done or dismissed. */
export function stepsSection(steps: readonly FirstStep[], hasSpace: boolean): Html | false {
  if (steps.length === 0) return false
  const list = steps.map((step) => {
    const [href, about] = describeOffer(step, hasSpace)
    const name = t(NAMES[step])
    const label = t('Dismiss: {name}', { name })
    const actions = buttonForm(dismissStepUrl(step), t('Dismiss'), { label })
    return { title: html`<a href="${href}">${name}</a>`, about, actions }
  })
  return html`<section aria-labelledby="next-steps"><h2 id="next-steps">${t('Next steps')}</h2>
${rows(t('Next steps'), list, html``)}
${steps.length > 1 && html`<div class="buttons">${buttonForm(dismissStepUrl('all'), t('Dismiss all'))}</div>`}
</section>`
}

const NAMES: Readonly<Record<FirstStep, string>> = {
  space: msg('Create your first space'),
  page: msg('Write your first page'),
  invite: msg('Invite a colleague'),
  assistant: msg('Connect an assistant'),
  import: msg('Import pages'),
}

/** Where a step begins, and what it is about. */
function describeOffer(step: FirstStep, hasSpace: boolean): readonly [href: string, about: HtmlValue] {
  switch (step) {
    case 'space':
      return [
        GALLERY,
        t('Spaces group related pages. Start from a template or with <link>an empty space</link>.', {
          link: (text) => html`<a href="${NEW_SPACE}">${text}</a>`,
        }),
      ]
    case 'page':
      return [
        hasSpace ? NEW_PAGE : newPageUrl('personal'),
        t('In a space, or among <link>your own pages</link>, which nobody else sees.', {
          link: (text) => html`<a href="${newPageUrl('personal')}">${text}</a>`,
        }),
      ]
    case 'invite':
      return [adminUrl('invitations'), t('They get a link by mail, or you copy it. It works once.')]
    case 'assistant':
      return [CONNECT, t('It reads and writes pages for you, in the spaces that you choose.')]
    case 'import':
      return [
        importUrl('personal'),
        t(
          'A folder of Markdown files, or an export of Obsidian, Notion, Outline or Recto, into your own pages. ' +
            'For another space: its Settings, then Import.',
        ),
      ]
  }
}
