import { MediaError } from '../../contract/errors.ts'
import { manifest, type PackName } from '../packs/manifest.ts'
import { findPack, pullCommand, requirePack, requireTogether } from '../packs/use.ts'
import { serviceName } from '../services/services.ts'
import { serviceSettingHint, configuredService } from '../services/use.ts'
import { languageIdentifierPacks, openLanguageIdentifier } from './identify-language.ts'
import { openSpleeter, openDenoisingSeparator, type VoiceSeparator } from './voice-separation.ts'
import { voiceServiceLanguages, openVoiceService } from './voice-service.ts'
import { openTranscriptionService } from './transcription-service.ts'
import { localRecogniserModels, openLocalRecogniser } from './sherpa/recogniser.ts'
import { openZipvoice, zipvoiceLanguages } from './sherpa/zipvoice.ts'
import type { LanguageIdentifier, Recogniser, VoiceCloner } from './speech-engines.ts'

/** An engine that is chosen: what is set goes first, then what is installed. All choosers throw 6401, with what helps. */
export interface SelectedEngine<Engine> {
  /** As results name it. */
  readonly name: string
  open(signal: AbortSignal): Promise<Engine>
}

/** What recognises speech in a language of the contract, or in any. */
export async function selectRecogniser(language?: string): Promise<SelectedEngine<Recogniser>> {
  const service = configuredService('transcription')
  if (service) return { name: serviceName(service), open: () => Promise.resolve(openTranscriptionService()) }
  const knowing = localRecogniserModels.filter(
    ({ languages }) => language === undefined || !languages || language in languages,
  )
  const installed = await firstInstalled(knowing.map(({ name }) => name))
  const model = knowing.find(({ name }) => name === installed)
  if (!model)
    return await throwNotInstalled(
      knowing.map(({ name }) => name),
      'sherpa-onnx',
    )
  await requirePack('sherpa-onnx')
  return { name: model.name, open: (signal) => openLocalRecogniser(model, { signal, language }) }
}

/** What tells languages. */
export async function selectLanguageIdentifier(): Promise<SelectedEngine<LanguageIdentifier>> {
  const installed = await firstInstalled(languageIdentifierPacks)
  if (installed === undefined) return await throwNotInstalled(['whisper-tiny'], 'onnx-runtime')
  await requirePack('onnx-runtime')
  return { name: installed, open: (signal) => openLanguageIdentifier(installed, signal) }
}

/**
 * What speaks a language in a voice it hears, which may speak another one; a service on this machine may read the
 * voice from `scratch`.
 */
export async function selectVoiceCloner(
  language: string,
  scratch: string,
  heard = language,
): Promise<SelectedEngine<VoiceCloner>> {
  const knows = (languages: readonly string[]) => languages.includes(language) && languages.includes(heard)
  const service = configuredService('voice_service')
  if (service && knows(voiceServiceLanguages(service))) {
    return { name: serviceName(service), open: () => Promise.resolve(openVoiceService({ scratch })) }
  }
  if (!knows(zipvoiceLanguages)) {
    const of = heard === language ? 'a given voice' : `a voice that speaks ${heard}`
    throw new MediaError(6401, `nothing here speaks ${language} in ${of}`, {
      retryable: false,
      hint: serviceSettingHint('voice_service'),
    })
  }
  if ((await findPack('zipvoice')) === null) return await throwNotInstalled(['zipvoice'], 'sherpa-onnx')
  await requirePack('sherpa-onnx')
  return { name: 'zipvoice', open: openZipvoice }
}

/** What separates voices from music; in its place what takes noise off them, which keeps no music. */
export async function selectSeparator(): Promise<SelectedEngine<VoiceSeparator>> {
  if ((await findPack('voice-separation')) !== null) {
    await requirePack('onnx-runtime')
    return { name: 'spleeter', open: openSpleeter }
  }
  await requirePack('denoising')
  await requirePack('sherpa-onnx')
  return { name: 'gtcrn', open: openDenoisingSeparator }
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
async function throwNotInstalled(names: readonly PackName[], engine: PackName): Promise<never> {
  const name = names.find((each) => manifest[each].kind !== 'own')
  if (name) await requireTogether([() => requirePack(name), () => requirePack(engine)])
  throw new MediaError(6401, `${name ?? 'it'} is not there`, {
    retryable: false,
    hint: name ? pullCommand(name) : 'See `reelwright doctor`.',
  })
}
