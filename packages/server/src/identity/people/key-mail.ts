import { t } from '../../platform/language/t.ts'
import type { TellOwner } from '../keys/api-keys.ts'
import type { Mailer } from './mail.ts'
import { joinParagraphs, nameInMail } from './mail-texts.ts'

/** Tells people by mail that somebody else made a key for them. No response waits for it. */
export function tellOwnersBy(mailer: Mailer | undefined): TellOwner {
  return ({ email, language }, key) => {
    void mailer?.send(() => {
      const [name, by] = [nameInMail(key.name), nameInMail(key.by)]
      return {
        to: email,
        subject: t('A key was made for your account at Recto'),
        text: joinParagraphs(
          t(
            '{by} made the API key “{name}” for your account at Recto. Whoever has it can do what you may do, ' +
              'within its limits, but\nnever reads your personal space.',
            { by, name },
          ),
          t(
            'It is in the list of keys of your account, where you can revoke it. ' +
              'If you did not expect this, do that, and ask {by}.',
            { by },
          ),
        ),
      }
    }, language)
  }
}
