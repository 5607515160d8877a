import type { Actor } from '../../access/caller.ts'
import { type Html, html } from './html.ts'
import { toInitials } from './initials.ts'
import { pictureUrl } from './urls.ts'

/** The picture of a person over the initials, which show where there is none. Decorative: the name is next to it. */
export function avatar({ id, name, kind }: Actor): Html | false {
  return (
    kind === 'human' &&
    html`<span class="avatar" aria-hidden="true" data-initials="${toInitials(name)}"><img src="${pictureUrl(id)}" alt=""
      width="24" height="24" loading="lazy"></span>`
  )
}
