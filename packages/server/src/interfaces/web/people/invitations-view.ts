import type { Space } from '../../../content/spaces/schema.ts'
import type { Group } from '../../../identity/groups/groups.ts'
import type { Invitation, SentInvitation } from '../../../identity/people/invitations.ts'
import type { List } from '../../../platform/http/paging.ts'
import { ORG_ROLES } from '../admin/people-view.ts'
import { buttonForm, checkBoxes, confirmed, doneNotice, errorNotice, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { secretBox } from '../keys-view.ts'
import { badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Shown } from '../screen.ts'

const GUEST = {
  value: 'yes',
  text: 'Guest',
  help: 'A person with access to this space, and to whatever else names them. Other spaces are not theirs.',
}
const SPACE_ROLES = [
  { value: 'editor', text: 'Editor: writes' },
  { value: 'viewer', text: 'Viewer: reads' },
  { value: 'admin', text: 'Admin: manages' },
] as const

export interface InvitationsView extends Shown {
  /** The URL of the screen, to which its forms are sent. */
  readonly url: string
  readonly invitations: List<Invitation>
  /** The spaces to choose from; absent if the space is known. */
  readonly spaces?: readonly Space[]
  /** The folder of a known space for which the form is filled in. */
  readonly folder?: string | undefined
  /** The groups to choose from; only for organisation admins. */
  readonly groups?: readonly Group[]
  readonly sent?: SentInvitation | undefined
}

/** Inviting people, and the invitations that nobody has accepted yet. */
export function invitationsMain(view: InvitationsView): Html {
  const { url, invitations, cursor, sent, done, failed } = view
  const empty = html`<p>No open invitations.</p>`
  return html`${sent && sentBox(sent)}
${doneNotice(done)}
${errorNotice(failed)}
${inviteForm(view)}
<section aria-labelledby="open"><h2 id="open">Open invitations</h2>
${rows(
  'Open invitations',
  invitations.items.map((invitation) => invitationRow(invitation, view)),
  empty,
)}
${pager(url, {}, { cursor, nextCursor: invitations.nextCursor })}
</section>`
}

function inviteForm({ url, spaces, folder = '', groups = [], failed }: InvitationsView): Html {
  const choices = spaces?.map(({ slug, name }) => ({ value: slug, text: name })) ?? []
  const role = { name: 'spaceRole', value: 'editor', choices: SPACE_ROLES, failed }
  return html`<form class="form" method="post" action="${url}">
${CSRF_FIELD}
${textField({ name: 'email', label: 'E-mail address', type: 'email', required: true, autofocus: true, maxLength: 254, failed, help: 'They sign in with it.' })}
${
  spaces === undefined
    ? html`${selectField({ ...role, label: 'Role in the space' })}
${checkBoxes({ name: 'guest', label: 'In the organisation', values: folder === '' ? [] : [GUEST.value], choices: [GUEST], failed })}
${textField({ name: 'folder', label: 'Folder', value: folder, maxLength: 1024, failed, help: 'For guests: the path of a folder, such as `clients/acme`. They get access to it alone, by its folder rule.' })}`
    : html`${
        choices.length > 0 &&
        html`${checkBoxes({ name: 'spaces', label: 'Spaces', values: choices.length === 1 ? choices.map(({ value }) => value) : [], choices, failed })}
${selectField({ ...role, label: 'Role in these spaces' })}`
      }
${groups.length > 0 && checkBoxes({ name: 'groups', label: 'Groups', values: [], choices: groups.map(({ id, name }) => ({ value: id, text: name })), failed })}
${selectField({ name: 'role', label: 'Role in the organisation', value: 'member', choices: ORG_ROLES, failed })}`
}
<button type="submit" class="button primary">Invite</button>
</form>`
}

function sentBox({ invitation, url, mailed }: SentInvitation): Html {
  const about = mailed
    ? html`It was sent to them. You can also copy it now; you won’t be able to see it again.`
    : html`Copy it now and pass it on: it was not sent. It works once, until ${moment(invitation.expiresAt)}. You won’t be able to see it again.`
  return secretBox({ label: `Invitation for ${invitation.email}`, value: url, about })
}

function invitationRow(invitation: Invitation, { url, spaces }: InvitationsView): Row {
  const { id, email, role, guest, invitedBy, createdAt, expiresAt, expired, hasAccount } = invitation
  const into = [
    ...invitation.spaces.flatMap(({ space, role, folder }) =>
      folder !== undefined ? `${space}/${folder} (${role})` : spaces ? `${space} (${role})` : [],
    ),
    ...invitation.groups.map(({ name }) => name),
  ].join(', ')
  return {
    title: email,
    badges: [
      role === 'admin' && badge('admin', 'info'),
      guest && badge('guest', 'info'),
      expired && badge('expired', 'error'),
      hasAccount && badge('has an account', 'info'),
    ],
    about: html`${into !== '' && html`${into}; `}invited by ${invitedBy.name} ${moment(createdAt)}; ${expired ? 'expired' : 'expires'} ${moment(expiresAt)}`,
    actions: html`${buttonForm({ action: `${url}/${id}/resend`, text: 'New link', label: `New link for ${email}` })}
${confirmed({ action: `${url}/${id}/revoke`, text: 'Revoke', about: `the invitation for ${email}`, sure: 'Revoke the invitation', warning: 'The link stops working.' })}`,
  }
}
