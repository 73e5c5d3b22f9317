import { BlockList, isIP } from 'node:net'
import * as z from 'zod'
import { voice } from '../../contract/catalog.ts'
import { voiceLanguages } from '../../contract/languages.ts'
import { isLoopback } from '../../platform/loopback.ts'

/** Private networks (RFC 1918, 6598, 4193). */
const privateNetworks = new BlockList()
privateNetworks.addSubnet('10.0.0.0', 8, 'ipv4')
privateNetworks.addSubnet('172.16.0.0', 12, 'ipv4')
privateNetworks.addSubnet('192.168.0.0', 16, 'ipv4')
privateNetworks.addSubnet('100.64.0.0', 10, 'ipv4')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')

/** Host names that do not exist on the internet (RFC 6761, 6762, 8375, ICANN's `.internal`), or have one label. */
const localHostName = /^[\w-]+$|\.(local|localhost|internal|lan|home\.arpa)$/i

/** Prefix of an address that names its API. */
const dialectPrefix = /^(gpt-sovits|openai|jina)\+/

/** Whether a host is this machine or in a private network. */
export function isLocalNetworkHost(host: string): boolean {
  const bare = host.replaceAll(/[[\]]/g, '')
  const version = isIP(bare)
  if (version === 0) return localHostName.test(bare)
  return isLoopback(bare) || privateNetworks.check(bare, version === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Whether requests may be sent to an address: https, or http in a private network, without password, query or fragment.
 */
export function isServiceAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(address)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocalNetworkHost(hostname))
  return isSafe && `${username}${password}${search}${hash}` === ''
}

/** Splits a service's address into its URL and its API dialect, `openai` by default. */
export function parseServiceAddress(address: string): { readonly base: URL; readonly dialect: string } {
  const [prefix = '', dialect = 'openai'] = dialectPrefix.exec(address) ?? []
  return { base: new URL(address.slice(prefix.length)), dialect }
}

/** Returns an address without the prefix that names its API. */
export function stripDialect(address: string): string {
  return address.replace(dialectPrefix, '')
}

const text = z.string().min(1)
const plainAddress = text.refine(isServiceAddress, {
  error:
    'must be an https address, or http of this machine or its own network, without a password or a query',
})

/** Characters that a header may contain. */
const key = z.string().regex(/^[\u0021-\u007e]+$/, 'must be a key: letters, digits and signs without blanks')

const common = {
  address: plainAddress,
  model: text.optional(),
  key: key.optional(),
  requests_per_minute: z.int().min(1).max(100_000).optional(),
  concurrency: z.int().min(1).max(64).optional(),
}

/** Settings of the language model. */
export const languageModelService = z
  .strictObject({ ...common, context_tokens: z.int().min(1024).max(10_000_000).optional() })
  .readonly()
/** Settings of the transcription service. */
export const transcriptionService = z.strictObject(common).readonly()
/** An address after one of these prefixes, or after none. */
function addressOf(dialects: readonly string[], error: string) {
  return text.refine(
    (value) => {
      const [prefix = '', dialect = dialects[0] ?? ''] = dialectPrefix.exec(value) ?? []
      return dialects.includes(dialect) && isServiceAddress(value.slice(prefix.length))
    },
    { error: `${error} an https address, or http of this machine or its own network` },
  )
}

/** Settings of the service that copies voices. */
export const voiceService = z
  .strictObject({
    ...common,
    address: addressOf(['openai', 'gpt-sovits'], 'must be gpt-sovits+ or openai+ before'),
    /** Folder of reference recordings for a server that reads them from its disk, and the path of that folder there. */
    folder: text.optional(),
    folder_there: text.optional(),
  })
  .readonly()
/** Settings of the service that embeds texts and images. Vectors are comparable only within one model. */
export const embeddingService = z
  .strictObject({
    ...common,
    address: addressOf(['openai', 'jina'], 'must be, after jina+ or openai+ or without a prefix,'),
    model: z.string({ error: 'must name the model, in one line after a #' }).min(1),
  })
  .readonly()

/** An OpenAI-compatible /audio/speech that speaks in a voice of its own, which `voice` names. */
const speakingService = z
  .strictObject({
    ...{ address: plainAddress, model: text.optional(), key: key.optional(), voice: text.max(200) },
    concurrency: common.concurrency,
  })
  .readonly()

/** A recording on this machine whose voice is cloned, with its transcript. */
const voiceRecording = z
  .strictObject({ path: text, text: text.max(1000), language: z.enum(voiceLanguages) })
  .readonly()

/** A voice of the catalogue, and what speaks it. */
const catalogueVoice = voice
  .extend({ service: speakingService.optional(), recording: voiceRecording.optional() })
  .strict()
  .refine(({ service, recording }) => (service === undefined) !== (recording === undefined), {
    error: 'needs either service or recording',
  })
  .refine(({ recording, languages }) => !recording || languages.every(isVoiceLanguage), {
    path: ['languages'],
    error: `a recording speaks ${voiceLanguages.join(', ')}`,
  })
  .readonly()
export type CatalogueVoice = z.infer<typeof catalogueVoice>
export type SpeakingService = z.infer<typeof speakingService>

const isVoiceLanguage = (language: string): boolean => voiceLanguages.some((code) => code === language)

/** The voices of the catalogue. */
export const catalogueVoices = z
  .array(catalogueVoice)
  .refine(
    (all) => new Set(all.map(({ voice_id }) => voice_id)).size === all.length,
    'two voices have the same voice_id',
  )

/** All services that can be set. */
export const services = z
  .strictObject({
    language_model: languageModelService.optional(),
    transcription: transcriptionService.optional(),
    voice_service: voiceService.optional(),
    embedding: embeddingService.optional(),
    voices: catalogueVoices.optional(),
  })
  .readonly()
export type Services = z.infer<typeof services>
export type ServiceKind = Exclude<keyof Services, 'voices'>
export type LanguageModelService = z.infer<typeof languageModelService>
export type TranscriptionService = z.infer<typeof transcriptionService>
export type VoiceService = z.infer<typeof voiceService>
export type EmbeddingService = z.infer<typeof embeddingService>
/** The settings that all services share. */
export type ServiceSettings = TranscriptionService

/** All configured services, also those of voices of the catalogue. */
export function allServices({ voices = [], ...others }: Services): ServiceSettings[] {
  const ofVoices = voices.map(({ service }) => service)
  return [...Object.values(others), ...ofVoices].filter((service) => service !== undefined)
}

/** Accepts a service as an object, or as one line: its address, then `#` and the model. */
export function objectOrLine<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => (typeof value === 'string' ? parseServiceLine(value) : value), schema)
}

function parseServiceLine(line: string): { readonly address: string; readonly model?: string } {
  const [address = '', ...model] = line.trim().split('#')
  return { address, ...(model.length > 0 && { model: model.join('#') }) }
}

/** Who answers questions to a language model if no service does: the agents that call, or nobody. */
const languageModelChoices = ['agent', 'none'] as const

/** When agents answer questions to a language model, where none is configured. */
export type AgentAnswers = 'always' | 'if offered' | 'never'

/** A language model: a service, or who answers instead of one. */
export const languageModelSetting = z.unknown().transform((value, context) => {
  const choice = z.enum(languageModelChoices).safeParse(value)
  if (choice.success) return choice.data
  const service = objectOrLine(languageModelService).safeParse(value)
  if (service.success) return service.data
  // The messages of the others are written where the settings are read.
  for (const { message, ...issue } of service.error.issues)
    context.issues.push({
      ...issue,
      ...(issue.code === 'custom' && { message }),
      input: value,
    } as z.core.$ZodRawIssue)
  return z.NEVER
})

/** The key of a service, a setting of its own. */
export const serviceKey = key

/** Returns the name of a service in results and errors: its model and host. */
export function serviceName({ address, model }: ServiceSettings): string {
  const { host } = new URL(stripDialect(address))
  return model === undefined ? host : `${model} at ${host}`
}

interface ServiceInfo {
  readonly title: string
  /** Environment variables that set the service and its key. */
  readonly variable: string
  readonly keyVariable: string
  /** Example of a one-line setting. */
  readonly example: string
  /** Values that may be set, and the setting of the key. */
  readonly setupHint: string
}

const reloadHint = 'The local service reloads it once its work is done. Restart any other service.'

/** Description of each service for users. */
export const serviceInfo: Readonly<Record<ServiceKind, ServiceInfo>> = {
  language_model: {
    title: 'Language model',
    variable: 'REELWRIGHT_LANGUAGE_MODEL',
    keyVariable: 'REELWRIGHT_LANGUAGE_MODEL_KEY',
    example: 'http://127.0.0.1:11434/v1#qwen3:8b',
    setupHint:
      'Any OpenAI-compatible server: its address up to /v1, # and the model; a key goes in "language_model_key". ' +
      'With "agent", agents answer its questions (over HTTP: also callers that send the header Answers-Questions: 1). ' +
      reloadHint,
  },
  transcription: {
    title: 'Transcription service',
    variable: 'REELWRIGHT_TRANSCRIPTION',
    keyVariable: 'REELWRIGHT_TRANSCRIPTION_KEY',
    example: 'http://127.0.0.1:8000/v1#whisper-1',
    setupHint:
      'Any OpenAI-compatible server: its address up to /v1, # and the model; a key goes in "transcription_key". ' +
      reloadHint,
  },
  voice_service: {
    title: 'Voice service',
    variable: 'REELWRIGHT_VOICE_SERVICE',
    keyVariable: 'REELWRIGHT_VOICE_SERVICE_KEY',
    example: 'gpt-sovits+http://127.0.0.1:9880',
    setupHint:
      'GPT-SoVITS by its address, or openai+ and the address, # and model of an /audio/speech that copies voices; ' +
      `a key goes in "voice_service_key". ${reloadHint}`,
  },
  embedding: {
    title: 'Embedding service',
    variable: 'REELWRIGHT_EMBEDDING',
    keyVariable: 'REELWRIGHT_EMBEDDING_KEY',
    example: 'jina+http://127.0.0.1:8000/v1#jina-clip-v2',
    setupHint:
      'jina+ and the address, # and model of an /embeddings that takes images, or without jina+ of an OpenAI-compatible ' +
      `one; a key goes in "embedding_key". ${reloadHint}`,
  },
}

/** All kinds of services, in the order in which they are listed. */
export const serviceKinds = Object.keys(serviceInfo) as readonly ServiceKind[]
