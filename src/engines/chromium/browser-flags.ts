import { canUseSandbox } from './locate.ts'

/** Flags of every browser: headless, without any network, and with the same pixels on every machine. */
export function browserFlags(profile: string): string[] {
  return [
    ...['--headless', '--remote-debugging-pipe', `--user-data-dir=${profile}`],
    ...standaloneFlags,
    ...offlineFlags,
    ...deterministicFlags,
    ...(canUseSandbox() ? [] : ['--no-sandbox']),
  ]
}

/** Turn off background services and tune for containers. */
const standaloneFlags = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-domain-reliability',
  '--no-pings',
  '--password-store=basic',
  '--use-mock-keychain',
  '--mute-audio',
  // In containers /dev/shm is often too small for pictures.
  '--disable-dev-shm-usage',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--js-flags=--max-old-space-size=512',
]

/**
 * Send every connection, including those to loopback addresses, to a proxy whose name does not resolve, and resolve no
 * name. This also blocks preconnect and WebRTC, which a content security policy does not cover.
 */
const offlineFlags = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://offline.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  // The headless shell reads the first flag, full browsers the second.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
]

/** Same pixels everywhere. All particles share one renderer process and one session; opaque origins isolate them. */
const deterministicFlags = [
  '--disable-site-isolation-trials',
  '--disable-features=IsolateSandboxedIframes,IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints,Prerender2,PaintHolding',
  '--disable-gpu',
  '--disable-lcd-text',
  '--disable-partial-raster',
  '--disable-skia-runtime-opts',
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
  '--hide-scrollbars',
  // Blurs reach across tile borders and are drawn once per tile: a few large tiles take half the time.
  '--default-tile-width=2048',
  '--default-tile-height=2048',
  '--disable-checker-imaging',
  '--disable-threaded-animation',
  '--disable-threaded-scrolling',
  // Smooth scrolling follows real time; without it, scrolling is immediate.
  '--disable-smooth-scrolling',
]

/** Flags of a browser that draws only on request. */
export const beginFrameFlags: readonly string[] = [
  '--enable-begin-frame-control',
  '--run-all-compositor-stages-before-draw',
  '--disable-new-content-rendering-timeout',
  '--disable-image-animation-resync',
]
