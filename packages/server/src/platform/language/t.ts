import { AsyncLocalStorage } from 'node:async_hooks'
import { formatMessage, type MessageValues } from '@recto/lib/text/message-format.ts'
import { isRightToLeft } from '@recto/lib/text/right-to-left.ts'
import { findTranslation, SOURCE_LANGUAGE } from './catalogues.ts'

const RIGHT_TO_LEFT_SCRIPTS = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa'])

const languages = new AsyncLocalStorage<string>()

/** The language of the person for whom the service works at the moment; English where there is none. */
export function currentLanguage(): string {
  return languages.getStore() ?? SOURCE_LANGUAGE
}

/** Whether it is written from right to left. */
export function isWrittenFromRight(): boolean {
  const language = currentLanguage()
  return RIGHT_TO_LEFT_SCRIPTS.has(new Intl.Locale(language).maximize().script ?? '')
}

/** Does work in the language of a person: `t` translates into it. */
export function inLanguage<T>(language: string, work: () => T): T {
  return languages.run(language, work)
}

/**
 * A message in the language of the person. It stands in the code in English, in the syntax of ICU MessageFormat, as a
 * literal; `languages/` has the translations. A missing one is shown in English.
 */
export function t(message: string, values: Readonly<Record<string, string | number>> = {}): string {
  return formatTranslation(message, isolateValues(values)).join('')
}

/** Marks a message that is translated later, where it is shown, such as one of a table. */
export function msg<const Message extends string>(message: Message): Message {
  return message
}

/** The parts of a message in the language of the person. */
export function formatTranslation<Node>(message: string, values: MessageValues<Node>): readonly (string | Node)[] {
  const language = currentLanguage()
  return formatMessage(findTranslation(language, message) ?? message, language, values)
}

/** Values of the other direction keep the order of the text around them (Unicode, FSI and PDI). */
function isolateValues(values: Readonly<Record<string, string | number>>): Readonly<Record<string, string | number>> {
  const isolated = Object.values(values).some((value) => typeof value === 'string' && isRightToLeft(value))
  if (!isolated) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && isRightToLeft(value) ? `\u2068${value}\u2069` : value,
    ]),
  )
}
