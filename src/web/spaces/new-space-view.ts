import { errorNotice, radioButtons, selectField, textField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { Attempt, Screen } from '../screen.ts'

export const VISIBILITIES = [
  { value: 'org', text: 'Everybody in the organisation', help: 'All people and agents can read it.' },
  { value: 'private', text: 'Members only', help: 'Hidden from everyone else.' },
] as const

export const DEFAULT_ROLES = [
  { value: 'viewer', text: 'read' },
  { value: 'editor', text: 'read and write' },
] as const

/** The form for a new, empty space. */
export function newSpaceScreen(view: {
  readonly csrf: Html | undefined
  readonly attempt?: Attempt
}): Screen {
  const { csrf, attempt } = view
  return {
    title: 'New space · Recto',
    crumbs: [{ text: 'New space', href: '/new-space' }],
    main: html`<div class="screen narrow">
<h1>New space</h1>
<p>A space holds pages that belong together. To begin with pages that are there already, <a href="/gallery">choose a template</a>.</p>
${errorNotice(attempt)}
<form class="form" method="post" action="/new-space">
${csrf}
${spaceFields({ attempt })}
<button type="submit" class="button primary">Create the space</button>
</form>
</div>`,
  }
}

/** What a new space is described by. */
export function spaceFields(fields: {
  readonly attempt?: Attempt | undefined
  readonly name?: string
  readonly description?: string
}): Html {
  const { attempt } = fields
  return html`${textField({ name: 'slug', label: 'Slug', required: true, maxLength: 64, pattern: '[a-z0-9]+(-[a-z0-9]+)*', attempt, help: 'Part of the URL of every page: lower-case letters, digits and single hyphens, e.g. `field-notes`.' })}
${textField({ name: 'name', label: 'Name', maxLength: 200, value: fields.name ?? '', attempt, help: 'Display name (defaults to the slug).' })}
${textField({ name: 'description', label: 'Description', maxLength: 2000, rows: 2, value: fields.description ?? '', attempt })}
${radioButtons({ name: 'visibility', label: 'Who can see it', value: 'org', choices: VISIBILITIES, attempt })}
${selectField({ name: 'defaultRole', label: 'Access for non-members', value: 'viewer', choices: DEFAULT_ROLES, attempt, help: 'Applies to spaces that everybody can see. Agents can only read until they are members.' })}`
}
