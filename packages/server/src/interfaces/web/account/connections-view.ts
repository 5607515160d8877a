import { redirectTarget } from '../../../identity/oauth/client-metadata.ts'
import type { AppConnection } from '../../../identity/oauth/connections.ts'
import type { List } from '../../../platform/http/paging.ts'
import { confirmed } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { badge, moment, type Row, rows } from '../rows.ts'
import { CONNECT, endConnectionUrl } from '../urls.ts'

const SCOPE_TEXTS = { read: 'read', propose: 'read and propose', write: 'read and write' }

/** The apps that act for the caller. */
export function connectionsSection(connections: List<AppConnection>, mayEnd: boolean): Html {
  const list = connections.items.map((connection) => connectionRow(connection, mayEnd))
  return html`<section aria-labelledby="connections"><h2 id="connections">Connected apps</h2>
<p>Apps and assistants that act for you, with your permission. <a href="${CONNECT}">Connect an assistant</a></p>
${rows('Connected apps', list, html`<p>No app is connected.</p>`)}</section>`
}

function connectionRow(connection: AppConnection, mayEnd: boolean): Row {
  const { id, app, scopes, spaces, createdAt, lastUsedAt } = connection
  const target = redirectTarget(app.redirectUri)
  return {
    title: app.name,
    badges: [badge(SCOPE_TEXTS[scopes.at(-1) ?? 'read'])],
    about: html`${spaces === null ? 'all spaces' : html`only ${spaces.length === 0 ? 'spaces that you cannot access any more' : spaces.join(', ')}`}; connected ${moment(createdAt)}${target?.kind === 'web' && html` from ${target.name}`}${lastUsedAt !== null && html`; last used ${moment(lastUsedAt)}`}`,
    ...(mayEnd && {
      actions: confirmed({
        action: endConnectionUrl(id),
        text: 'Disconnect',
        about: `the app ${app.name}`,
        sure: 'Disconnect now',
        warning: 'The app loses access within a second. What it wrote stays.',
      }),
    }),
  }
}
