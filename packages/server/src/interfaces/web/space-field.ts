import type { Ctx } from '../../access/ctx.ts'
import type { Space } from '../../content/spaces/schema.ts'
import { listVisibleSpaces } from '../../content/spaces/space.ts'
import { checkBoxes, selectField, textField } from './controls.ts'
import { readTexts } from './fields.ts'
import { type Html, html, t, trusted } from './html.ts'
import type { FailedForm } from './screen.ts'
import { inNaturalOrder } from './spaces/space-cards.ts'

/** Further spaces are not listed to choose from: their slugs are typed. */
export const MAX_LISTED_SPACES = 1000

/** The shared spaces to choose from, by name; undefined if they are too many for a list. */
export type SpaceChoices = readonly Space[] | undefined

export async function spaceChoices(ctx: Ctx): Promise<SpaceChoices> {
  const { items, nextCursor } = await listVisibleSpaces(ctx, { limit: MAX_LISTED_SPACES })
  if (nextCursor !== null) return undefined
  return inNaturalOrder(items.filter(({ kind }) => kind === 'shared'))
}

const toName = ({ name, slug }: Space) => name || slug

/** Limits something to one space: chosen by its name, or typed by its slug where there are too many. */
export function spaceField(field: {
  readonly name: string
  readonly spaces: SpaceChoices
  /** Whether it applies to shared spaces only. */
  readonly isShared?: boolean
  readonly value?: string | undefined
  readonly failed?: FailedForm | undefined
}): Html {
  const { name, spaces, isShared = false, value = '', failed } = field
  if (!spaces) {
    const help = isShared
      ? t('Space slug, as in the URLs of its pages. Leave empty for all shared spaces.')
      : t('Space slug, as in the URLs of its pages. Leave empty for all spaces.')
    return textField(name, t('Only this space'), { maxLength: 64, value, failed, help })
  }
  const choices = spaces.map((space) => ({ value: space.slug, text: toName(space) }))
  // One that the caller cannot see stays chosen.
  const isListed = value === '' || spaces.some(({ slug }) => slug === value)
  const unlistedSpaces = isListed ? [] : [{ value, text: value }]
  return selectField(name, t('Spaces'), {
    value,
    failed,
    choices: [{ value: '', text: isShared ? t('All shared spaces') : t('All spaces') }, ...choices, ...unlistedSpaces],
  })
}

/** Limits a key to spaces: chosen by their names, or typed as slugs where there are too many; none means all. */
export function spacesField(field: {
  readonly name: string
  readonly spaces: SpaceChoices
  readonly failed?: FailedForm | undefined
}): Html {
  const { name, spaces, failed } = field
  const label = t('Only these spaces')
  if (!spaces) {
    const help = t(
      'Space slugs, as in the URLs of their pages, separated by spaces (`personal` = your own). ' +
        'Leave empty for all spaces.',
    )
    return textField(name, label, { maxLength: 13_000, failed, help })
  }
  const isOpen = failed !== undefined && readTexts(failed.fields, name).length > 0
  const choices = [
    { value: 'personal', text: t('Own pages') },
    ...spaces.map((space) => ({ value: space.slug, text: toName(space) })),
  ]
  return html`<details class="more"${isOpen && trusted(' open')}><summary>${t('Only some spaces')}</summary>
${checkBoxes(name, label, { values: [], choices, failed, help: t('Choose none for all spaces.') })}
</details>`
}
