/** Stop words: function words of questions. They do not affect results unless a query has no others. */
const STOP_WORDS: Readonly<Record<string, string>> = {
  en: `
    a about am an and any are as at be been but by can could did do does doing done for from get had has have having
    he her him his how i if in into is it its may me might must my no not of on one only or our ours out shall she
    should so some such than that the their them then there these they this those to too us use using very was we
    were what when where which while who whom whose why will with would you your please tell explain explained after
    against because before between during over through under until via whether within without cant couldnt didnt
    doesnt dont hasnt havent im isnt ive shouldnt wasnt wont`,
  de: `
    aber als am an auch auf aus bei bin bis bist da damit das dass dein dem den der des die dies diese dieser doch du
    durch ein eine einem einen einer eines er es fur hat habe haben ich ihr im in ist ja kann kein man mein mich mir
    mit muss nach nicht noch nur oder sein sich sie sind so uber um und uns vom von vor wann war warum was welche
    welcher wenn wer wie wir wird wo zu zum zur`,
  fr: `
    a ai au aux avec ce ces cette comment dans de des du elle elles en est et eux faire faut il ils je la le les leur
    lui ma mais me mes mon ne nos notre nous on ou par pas peut pour pourquoi qu quand que quel quelle qui sa sans se
    ses son sont sur ta te tes ton tu un une vos votre vous y`,
  es: `
    a al como con cual cuando de del donde el ella en es esta este esto hay la las le lo los me mi mis muy no nos o
    para pero por porque que quien se ser si sin sobre son su sus te tu un una uno y ya yo`,
  it: `
    a al alla che chi come con cosa da dal del della di dove e gli ha i il in io la le lo ma mi nel nella non o per
    perche piu quale quando se si sono su sul tra un una uno`,
  nl: `
    aan als bij dat de der die dit een en er heb het hij hoe ik in is je kan maar met mijn moet na naar niet of om
    ook op te tot uit van voor waar waarom wanneer wat welke wie wij zijn`,
  pt: `
    a ao as com como da das de do dos e em eu foi ha isso mais mas me na nao nas no nos o onde os ou para pela pelo
    por porque qual quando que quem se sem seu sua um uma`,
}

const stopWordsByLanguage = new Map(
  Object.entries(STOP_WORDS).map(([language, words]) => [language, new Set(words.split(/\s+/))] as const),
)

/** Whether a word, as `foldWord` returns it, is a stop word of one of the languages. */
export function isStopWord(word: string, languages: readonly string[]): boolean {
  return languages.some((language) => stopWordsByLanguage.get(language)?.has(word))
}
