import type { Space } from '../../spaces/schema.ts'
import { errorNotice, textField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { Attempt, Screen } from '../screen.ts'
import { spaceTabs } from '../tabs.ts'
import { settingsUrl, spaceCrumbs } from './settings-view.ts'

/** Asks whether a space is to go for good. */
export function deleteSpaceScreen(view: {
  readonly space: Space
  readonly isEmpty: boolean
  readonly csrf: Html | undefined
  readonly attempt?: Attempt
}): Screen {
  const { space, isEmpty, csrf, attempt } = view
  return {
    title: `Delete ${space.name}? · Recto`,
    crumbs: spaceCrumbs(space, { text: 'Delete', href: `${settingsUrl(space)}/delete` }),
    tabs: spaceTabs(space.slug, 'Settings'),
    space: space.slug,
    main: html`<div class="screen narrow">
<h1>Delete the space ${space.name}?</h1>
${errorNotice(attempt)}
${
  isEmpty
    ? html`<p>The space has no pages. Its settings and members are deleted.</p>`
    : html`<p><strong>All its pages are deleted, including those in the trash</strong>, with their history, metadata and links. This cannot be undone. You may want to <a href="/spaces/${space.slug}/export?history=true" download="${space.slug}.json">export it</a> first.</p>`
}
<form class="form" method="post" action="${settingsUrl(space)}/delete">
${csrf}
${textField({ name: 'confirm', label: 'Type the slug to confirm', required: true, maxLength: 64, attempt, help: `It is \`${space.slug}\`.` })}
<button type="submit" class="button danger">Delete the space permanently</button>
</form>
<p><a href="${settingsUrl(space)}">Cancel</a></p>
</div>`,
  }
}
