import { textField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { FailedForm } from '../screen.ts'

/** A field for one emoji; the island `emoji-picker` shows them to choose from. */
export function iconField(field: {
  readonly value: string | null | undefined
  readonly failed: FailedForm | undefined
  readonly help?: string
}): Html {
  return html`<div data-emoji-picker>
${textField({ name: 'icon', label: 'Icon', maxLength: 64, value: field.value ?? '', failed: field.failed, help: field.help ?? 'One emoji, shown before the name.' })}
</div>`
}
