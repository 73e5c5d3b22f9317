import { MediaError } from '../../contract/errors.ts'
import { manifest, type PackName } from '../packs/manifest.ts'
import { findPack, pullCommand, requirePack, requireTogether } from '../packs/resolve.ts'
import { serviceName } from '../services/services.ts'
import { serviceSettingHint, configuredService } from '../services/configured.ts'
import { languageIdentifierPacks, openLanguageIdentifier } from './identify-language.ts'
import { openSpleeter, openDenoisingSeparator, type VoiceSeparator } from './voice-separation.ts'
import { voiceServiceLanguages, openVoiceService } from './voice-service.ts'
import { openTranscriptionService } from './transcription-service.ts'
import { localRecogniserModels, openLocalRecogniser } from './sherpa/recogniser.ts'
import { openZipvoice, zipvoiceLanguages } from './sherpa/zipvoice.ts'
import type { LanguageIdentifier, Recogniser, VoiceCloner } from './speech-engines.ts'

/** A selected engine. Configured services take precedence over installed models. All selectors throw 6401 with the fix. */
export interface SelectedEngine<Engine> {
  /** Name reported in results. */
  readonly name: string
  open(signal: AbortSignal): Promise<Engine>
}

/** Selects a recogniser for a contract language, or for any language. */
export async function selectRecogniser(language?: string): Promise<SelectedEngine<Recogniser>> {
  const service = configuredService('transcription')
  if (service) return { name: serviceName(service), open: () => Promise.resolve(openTranscriptionService()) }
  const candidates = localRecogniserModels.filter(
    ({ languages }) => language === undefined || !languages || language in languages,
  )
  const installed = await firstInstalled(candidates.map(({ name }) => name))
  const model = candidates.find(({ name }) => name === installed)
  if (!model)
    return await throwNotInstalled(
      candidates.map(({ name }) => name),
      'sherpa-onnx',
    )
  await requirePack('sherpa-onnx')
  return { name: model.name, open: (signal) => openLocalRecogniser(model, { signal, language }) }
}

/** Selects a model that identifies the spoken language. */
export async function selectLanguageIdentifier(): Promise<SelectedEngine<LanguageIdentifier>> {
  const installed = await firstInstalled(languageIdentifierPacks)
  if (installed === undefined) return await throwNotInstalled(['whisper-tiny'], 'onnx-runtime')
  await requirePack('onnx-runtime')
  return { name: installed, open: (signal) => openLanguageIdentifier(installed, signal) }
}

/**
 * Selects an engine that synthesizes `language` from a reference in `referenceLanguage`. A service on this machine may
 * read the reference from `scratch`.
 */
export async function selectVoiceCloner(
  language: string,
  scratch: string,
  referenceLanguage = language,
): Promise<SelectedEngine<VoiceCloner>> {
  const supports = (languages: readonly string[]) =>
    languages.includes(language) && languages.includes(referenceLanguage)
  const service = configuredService('voice_service')
  if (service && supports(voiceServiceLanguages(service))) {
    return { name: serviceName(service), open: () => Promise.resolve(openVoiceService({ scratch })) }
  }
  if (!supports(zipvoiceLanguages)) {
    const reference = referenceLanguage === language ? '' : ` with a reference in ${referenceLanguage}`
    throw new MediaError(6401, `no installed voice engine supports ${language}${reference}`, {
      retryable: false,
      hint: serviceSettingHint('voice_service'),
    })
  }
  if ((await findPack('zipvoice')) === null) return await throwNotInstalled(['zipvoice'], 'sherpa-onnx')
  await requirePack('sherpa-onnx')
  return { name: 'zipvoice', open: openZipvoice }
}

/** Selects a voice separator; without one, the denoiser, which does not return the accompaniment. */
export async function selectSeparator(): Promise<SelectedEngine<VoiceSeparator>> {
  if ((await findPack('voice-separation')) !== null) {
    await requirePack('onnx-runtime')
    return { name: 'spleeter', open: openSpleeter }
  }
  await requirePack('denoising')
  await requirePack('sherpa-onnx')
  return { name: 'gtcrn', open: openDenoisingSeparator }
}

/** First installed pack; models configured by the user take precedence. */
async function firstInstalled<Name extends PackName>(names: readonly Name[]): Promise<Name | undefined> {
  const isOwn = (name: Name) => manifest[name].kind === 'own'
  for (const name of [...names.filter(isOwn), ...names.filter((other) => !isOwn(other))]) {
    if ((await findPack(name)) !== null) return name
  }
  return undefined
}

/** Throws 6401 that names the first installable pack, and its engine if that is missing too. */
async function throwNotInstalled(names: readonly PackName[], engine: PackName): Promise<never> {
  const name = names.find((each) => manifest[each].kind !== 'own')
  if (name) await requireTogether([() => requirePack(name), () => requirePack(engine)])
  throw new MediaError(6401, `${name ?? 'the model'} is not installed`, {
    retryable: false,
    hint: name ? pullCommand(name) : 'Run `reelwright doctor`.',
  })
}
