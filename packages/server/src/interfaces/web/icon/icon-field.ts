import { textField } from '../controls.ts'
import { type Html, html, t } from '../html.ts'
import type { FailedForm } from '../screen.ts'

/** A field for one emoji; the island `emoji-picker` shows them to choose from. */
export function iconField(field: {
  readonly value: string | null | undefined
  readonly failed: FailedForm | undefined
  readonly help?: string
}): Html {
  return html`<div data-emoji-picker>
${textField('icon', t('Icon'), {
  maxLength: 64,
  value: field.value ?? '',
  failed: field.failed,
  help: field.help ?? t('One emoji, shown before the name.'),
})}
</div>`
}
