import { BlockList, isIP } from 'node:net'
import * as z from 'zod'
import { isLoopback } from '../../platform/loopback.ts'

/** Networks around a machine (RFC 1918, 6598, 4193). */
const privateNetworks = new BlockList()
privateNetworks.addSubnet('10.0.0.0', 8, 'ipv4')
privateNetworks.addSubnet('172.16.0.0', 12, 'ipv4')
privateNetworks.addSubnet('192.168.0.0', 16, 'ipv4')
privateNetworks.addSubnet('100.64.0.0', 10, 'ipv4')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')

/** Names that nobody on the internet can have (RFC 6761, 6762, 8375, ICANN's `.internal`), or of one part. */
const localHostName = /^[\w-]+$|\.(local|localhost|internal|lan|home\.arpa)$/i

/** How requests are spoken to a voice service, as its address begins. */
const dialectPrefix = /^(gpt-sovits|openai)\+/

/** Tells whether a host is this machine or one of a network around it. */
export function isLocalNetworkHost(host: string): boolean {
  const bare = host.replaceAll(/[[\]]/g, '')
  const version = isIP(bare)
  if (version === 0) return localHostName.test(bare)
  return isLoopback(bare) || privateNetworks.check(bare, version === 4 ? 'ipv4' : 'ipv6')
}

/** Tells whether a service may be asked at an address: https, or http nearby; without a password or a query. */
export function isServiceAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(address)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocalNetworkHost(hostname))
  return isSafe && `${username}${password}${search}${hash}` === ''
}

/** A service's address without how it is spoken to, and the latter: `openai` where nothing is said. */
export function parseServiceAddress(address: string): { readonly base: URL; readonly dialect: string } {
  const [prefix = '', dialect = 'openai'] = dialectPrefix.exec(address) ?? []
  return { base: new URL(address.slice(prefix.length)), dialect }
}

/** What may be said before the address of a voice service. */
export function stripDialect(address: string): string {
  return address.replace(dialectPrefix, '')
}

const text = z.string().min(1)
const plainAddress = text.refine(isServiceAddress, {
  error:
    'must be an https address, or http of this machine or its own network, without a password or a query',
})

/** What is sent in a header. */
const key = z.string().regex(/^[\u0021-\u007e]+$/, 'must be a key: letters, digits and signs without blanks')

const common = {
  address: plainAddress,
  model: text.optional(),
  key: key.optional(),
  requests_per_minute: z.int().min(1).max(100_000).optional(),
  concurrency: z.int().min(1).max(64).optional(),
}

/** The language model that is set, and how it may be used. */
export const languageModelService = z
  .strictObject({ ...common, context_tokens: z.int().min(1024).max(10_000_000).optional() })
  .readonly()
/** The transcription service that is set. */
export const transcriptionService = z.strictObject(common).readonly()
/** The service that is set for copying voices. */
export const voiceService = z
  .strictObject({
    ...common,
    address: text.refine((given) => isServiceAddress(stripDialect(given)), {
      error:
        'must be gpt-sovits+ or openai+ before an https address, or http of this machine or its own network',
    }),
    /** Where references are put for a server that reads them from its disk, and how it calls that folder. */
    folder: text.optional(),
    folder_there: text.optional(),
  })
  .readonly()

/** Every service that can be set. */
export const services = z
  .strictObject({
    language_model: languageModelService.optional(),
    transcription: transcriptionService.optional(),
    voice_service: voiceService.optional(),
  })
  .readonly()
export type Services = z.infer<typeof services>
export type ServiceKind = keyof Services
export type LanguageModelService = z.infer<typeof languageModelService>
export type TranscriptionService = z.infer<typeof transcriptionService>
export type VoiceService = z.infer<typeof voiceService>
export type Service = LanguageModelService | TranscriptionService | VoiceService

/** A service as settings may tell it: all of it, or one line of its address with the model after a `#`. */
export function objectOrLine<S extends z.ZodType>(schema: S) {
  return z.preprocess((given) => (typeof given === 'string' ? parseServiceLine(given) : given), schema)
}

function parseServiceLine(line: string): { readonly address: string; readonly model?: string } {
  const [address = '', ...model] = line.trim().split('#')
  return { address, ...(model.length > 0 && { model: model.join('#') }) }
}

/** A key as settings tell it beside its service. */
export const serviceKey = key

/** What results and errors call a service: its model, and where that is. */
export function serviceName({ address: given, model }: Service): string {
  const { host } = new URL(stripDialect(given))
  return model === undefined ? host : `${model} at ${host}`
}

interface ServiceInfo {
  readonly title: string
  /** The variables that set it and its key. */
  readonly variable: string
  readonly keyVariable: string
  /** What a line may look like. */
  readonly example: string
  /** What may be set, and where its key goes. */
  readonly setupHint: string
}

const reloadHint =
  'The local service takes it up by itself once its work is done; another one is to be started anew.'

/** What people are told of each service. */
export const serviceInfo: Readonly<Record<ServiceKind, ServiceInfo>> = {
  language_model: {
    title: 'Language model',
    variable: 'REELWRIGHT_LANGUAGE_MODEL',
    keyVariable: 'REELWRIGHT_LANGUAGE_MODEL_KEY',
    example: 'http://127.0.0.1:11434/v1#qwen3:8b',
    setupHint:
      'Any OpenAI-compatible server: its address up to /v1, # and the model; a key goes in "language_model_key". ' +
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
}

/** The needs in the order they are told. */
export const serviceKinds = Object.keys(serviceInfo) as readonly ServiceKind[]
