import { MediaError } from '../../contract/errors.ts'
import { manifest, type PackName } from '../packs/manifest.ts'
import { findPack, pullCommand, requirePack, requireTogether } from '../packs/use.ts'
import { nameOf } from '../services/services.ts'
import { howToSet, serviceSet } from '../services/use.ts'
import { identifierPacks, openLanguageIdentifier } from './identify-language.ts'
import { openSpleeter, openVoiceCleaner, type VoiceSeparator } from './separate.ts'
import { languagesOfCopier, openServiceCopier } from './service-copier.ts'
import { openServiceRecogniser } from './service-recogniser.ts'
import { openLocalRecogniser } from './sherpa/recognise.ts'
import { recogniserModels } from './sherpa/recognisers.ts'
import { openZipvoice, zipvoiceLanguages } from './sherpa/voice.ts'
import type { LanguageIdentifier, Recogniser, VoiceCopier } from './speech.ts'

/** An engine that is chosen: what is set goes first, then what is installed. All choosers throw 6401, with what helps. */
export interface Chosen<Engine> {
  /** As results name it. */
  readonly name: string
  open(signal: AbortSignal): Promise<Engine>
}

/** What recognises speech in a language of the contract, or in any. */
export async function chooseRecogniser(language?: string): Promise<Chosen<Recogniser>> {
  const service = serviceSet('transcription')
  if (service) return { name: nameOf(service), open: () => Promise.resolve(openServiceRecogniser()) }
  const knowing = recogniserModels.filter(
    ({ languages }) => language === undefined || !languages || language in languages,
  )
  const installed = await firstInstalled(knowing.map(({ name }) => name))
  const model = knowing.find(({ name }) => name === installed)
  if (!model)
    return await notThere(
      knowing.map(({ name }) => name),
      'sherpa-onnx',
    )
  await requirePack('sherpa-onnx')
  return { name: model.name, open: (signal) => openLocalRecogniser(model, { signal, language }) }
}

/** What tells languages. */
export async function chooseIdentifier(): Promise<Chosen<LanguageIdentifier>> {
  const installed = await firstInstalled(identifierPacks)
  if (installed === undefined) return await notThere(['whisper-tiny'], 'onnx-runtime')
  await requirePack('onnx-runtime')
  return { name: installed, open: (signal) => openLanguageIdentifier(installed, signal) }
}

/**
 * What speaks a language in a voice it hears, which may speak another one; a service on this machine may read the
 * voice from `scratch`.
 */
export async function chooseCopier(
  language: string,
  scratch: string,
  heard = language,
): Promise<Chosen<VoiceCopier>> {
  const knows = (languages: readonly string[]) => languages.includes(language) && languages.includes(heard)
  const service = serviceSet('voice_service')
  if (service && knows(languagesOfCopier(service))) {
    return { name: nameOf(service), open: () => Promise.resolve(openServiceCopier({ scratch })) }
  }
  if (!knows(zipvoiceLanguages)) {
    const of = heard === language ? 'a given voice' : `a voice that speaks ${heard}`
    throw new MediaError(6401, `nothing here speaks ${language} in ${of}`, {
      retryable: false,
      hint: howToSet('voice_service'),
    })
  }
  if ((await findPack('zipvoice')) === null) return await notThere(['zipvoice'], 'sherpa-onnx')
  await requirePack('sherpa-onnx')
  return { name: 'zipvoice', open: openZipvoice }
}

/** What separates voices from music; in its place what takes noise off them, which keeps no music. */
export async function chooseSeparator(): Promise<Chosen<VoiceSeparator>> {
  if ((await findPack('voice-separation')) !== null) {
    await requirePack('onnx-runtime')
    return { name: 'spleeter', open: openSpleeter }
  }
  await requirePack('denoising')
  await requirePack('sherpa-onnx')
  return { name: 'gtcrn', open: openVoiceCleaner }
}

/** The models that people brought go before others. */
async function firstInstalled<Name extends PackName>(names: readonly Name[]): Promise<Name | undefined> {
  const isOwn = (name: Name) => manifest[name].kind === 'own'
  for (const name of [...names.filter(isOwn), ...names.filter((other) => !isOwn(other))]) {
    if ((await findPack(name)) !== null) return name
  }
  return undefined
}

/** Names the first that can be pulled, and what runs it where that is not there either. */
async function notThere(names: readonly PackName[], engine: PackName): Promise<never> {
  const name = names.find((each) => manifest[each].kind !== 'own')
  if (name) await requireTogether([() => requirePack(name), () => requirePack(engine)])
  throw new MediaError(6401, `${name ?? 'it'} is not there`, {
    retryable: false,
    hint: name ? pullCommand(name) : 'See `reelwright doctor`.',
  })
}
