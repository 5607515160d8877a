import type { Space } from '../../../content/spaces/schema.ts'
import type { Group } from '../../../identity/groups/groups.ts'
import type { Invitation, SentInvitation } from '../../../identity/people/invitations.ts'
import type { List } from '../../../platform/http/paging.ts'
import { ORG_ROLES } from '../admin/people-view.ts'
import {
  buttonForm,
  checkBoxes,
  confirmed,
  doneNotice,
  errorNotice,
  selectField,
  textField,
  translateChoices,
} from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import { secretBox } from '../keys-view.ts'
import { badge, moment, pager, ROLE_NAMES, type Row, rows } from '../rows.ts'
import type { Shown } from '../screen.ts'

const GUEST = {
  value: 'yes',
  text: msg('Guest'),
  help: msg('A person with access to this space, and to whatever else names them. Other spaces are not theirs.'),
}
const SPACE_ROLES = [
  { value: 'editor', text: msg('Editor: writes') },
  { value: 'viewer', text: msg('Viewer: reads') },
  { value: 'admin', text: msg('Admin: manages') },
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
  const empty = html`<p>${t('No open invitations.')}</p>`
  return html`${sent && sentBox(sent)}
${doneNotice(done)}
${errorNotice(failed)}
${inviteForm(view)}
<section aria-labelledby="open"><h2 id="open">${t('Open invitations')}</h2>
${rows(
  t('Open invitations'),
  invitations.items.map((invitation) => invitationRow(invitation, view)),
  empty,
)}
${pager(url, {}, { cursor, nextCursor: invitations.nextCursor })}
</section>`
}

function inviteForm({ url, spaces, folder = '', groups = [], failed }: InvitationsView): Html {
  const choices = spaces?.map(({ slug, name }) => ({ value: slug, text: name })) ?? []
  const role = { value: 'editor', choices: translateChoices(SPACE_ROLES), failed }
  return html`<form class="form" method="post" action="${url}">
${CSRF_FIELD}
${textField('email', t('E-mail address'), {
  type: 'email',
  required: true,
  autofocus: true,
  maxLength: 254,
  failed,
  help: t('They sign in with it.'),
})}
${
  spaces === undefined
    ? html`${selectField('spaceRole', t('Role in the space'), role)}
${checkBoxes('guest', t('In the organisation'), {
  values: folder === '' ? [] : [GUEST.value],
  choices: translateChoices([GUEST]),
  failed,
})}`
    : html`${
        choices.length > 0 &&
        html`${checkBoxes('spaces', t('Spaces'), {
          values: choices.length === 1 ? choices.map(({ value }) => value) : [],
          choices,
          failed,
        })}
${selectField('spaceRole', t('Role in these spaces'), role)}`
      }
${
  groups.length > 0 &&
  checkBoxes('groups', t('Groups'), {
    values: [],
    choices: groups.map(({ id, name }) => ({ value: id, text: name })),
    failed,
  })
}
${selectField('role', t('Role in the organisation'), {
  value: 'member',
  choices: translateChoices(ORG_ROLES),
  failed,
})}`
}
${
  (!spaces || choices.length > 0) &&
  textField('folder', t('Folder'), {
    value: folder,
    maxLength: 1024,
    failed,
    help: t(
      'For guests: the path of a folder, such as `clients/acme`. They get access to it alone, by its folder rule.',
    ),
  })
}
<button type="submit" class="button primary">${t('Invite')}</button>
</form>`
}

function sentBox({ invitation, url, mailed }: SentInvitation): Html {
  const about = mailed
    ? t('It was sent to them. You can also copy it now; you won’t be able to see it again.')
    : t(
        'Copy it now and pass it on: it was not sent. It works once, until {when}. You won’t be able to see it again.',
        { when: moment(invitation.expiresAt) },
      )
  return secretBox({ label: t('Invitation for {email}', { email: invitation.email }), value: url, about })
}

function invitationRow(invitation: Invitation, { url, spaces }: InvitationsView): Row {
  const { id, email, role, guest, invitedBy, createdAt, expiresAt, expired, hasAccount } = invitation
  const end = moment(expiresAt)
  const into = [
    ...invitation.spaces.flatMap(({ space, role, folder }) => {
      const roleName = t(ROLE_NAMES[role])
      return folder !== undefined ? `${space}/${folder} (${roleName})` : spaces ? `${space} (${roleName})` : []
    }),
    ...invitation.groups.map(({ name }) => name),
  ].join(', ')
  return {
    title: email,
    badges: [
      role === 'admin' && badge(t('admin'), 'info'),
      guest && badge(t('guest'), 'info'),
      expired && badge(t('expired'), 'error'),
      hasAccount && badge(t('has an account'), 'info'),
    ],
    about: html`${into !== '' && html`${into}; `}${t('invited by {name} {when}', {
      name: invitedBy.name,
      when: moment(createdAt),
    })}; ${expired ? t('expired {when}', { when: end }) : t('expires {when}', { when: end })}`,
    actions: html`${buttonForm(`${url}/${id}/resend`, t('New link'), { label: t('New link for {email}', { email }) })}
${confirmed({
  action: `${url}/${id}/revoke`,
  text: t('Revoke'),
  about: t('the invitation for {email}', { email }),
  sure: t('Revoke the invitation'),
  warning: t('The link stops working.'),
})}`,
  }
}
