import { pageUrl } from '@recto/contract/page-url.ts'
import {
  REPORTED_STATUSES,
  type ReportedStatus,
  type VerificationReport,
} from '../../../content/pages/verification/schema.ts'
import { type Html, hiddenText, html, msg, t, trusted } from '../html.ts'
import { actorName, moment, rows } from '../rows.ts'
import { reportsUrl, verifyUrl } from '../urls.ts'
import { verificationText } from './tick-view.ts'

const NAMES: Readonly<Record<ReportedStatus, string>> = {
  current: msg('Verified'),
  changed: msg('Changed since'),
  expired: msg('Expired'),
  none: msg('Never verified'),
  agents: msg('By agents alone'),
}

/** The pages of a space with one status of their verification, and a choice of the others. */
export function verificationRows({
  space,
  status,
  editable,
  list,
}: {
  readonly space: string
  readonly status: ReportedStatus
  readonly editable: boolean
  readonly list: VerificationReport
}): Html {
  const { items, counts } = list
  const choices = REPORTED_STATUSES.map((each) => {
    const href = reportsUrl(space, { show: 'verification', status: each })
    return html`<a class="button small" href="${href}"${
      each === status && trusted(' aria-current="page"')
    }>${t(NAMES[each])}${counts && html` <span class="quiet">${counts[each]}</span>`}</a>`
  })
  return html`<nav class="choices" aria-label="${t('Verification')}">${choices}</nav>
${rows(
  t(NAMES[status]),
  items.map(({ path, title, updatedAt, updatedBy, verification }) => ({
    title: html`<a href="${pageUrl(space, path)}">${title}</a>`,
    about: html`${path} · ${t('changed {when} by {name}', {
      when: moment(updatedAt),
      name: actorName(updatedBy),
    })}${verification && html` · ${verificationText(verification)}`}`,
    ...(editable && {
      actions: html`<a class="button small" href="${verifyUrl(space, path)}">${t('Verify<hidden> {title}</hidden>', {
        title,
        hidden: hiddenText,
      })}</a>`,
    }),
  })),
  html`<p>${
    list.nextCursor === null
      ? t('No such pages in this space.')
      : t('Nothing in this part of the space. Continue to the next page of results.')
  }</p>`,
)}`
}
