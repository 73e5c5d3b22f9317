import { canUseSandbox } from './locate.ts'

/** Flags of every browser: no screen, no network whatever a page tries, the same pixels everywhere. */
export function browserFlags(profile: string): string[] {
  return [
    ...['--headless', '--remote-debugging-pipe', `--user-data-dir=${profile}`],
    ...standaloneFlags,
    ...offlineFlags,
    ...deterministicFlags,
    ...(canUseSandbox() ? [] : ['--no-sandbox']),
  ]
}

/** What it does by itself and for itself. */
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
  // /dev/shm of a container is often too small for pictures.
  '--disable-dev-shm-usage',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--js-flags=--max-old-space-size=512',
]

/**
 * Every connection, to addresses of this machine as well, has to go through a proxy whose name leads nowhere;
 * no name leads anywhere. Preconnecting and WebRTC are bound by it too, which no policy of a page covers.
 */
const offlineFlags = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://offline.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  // The headless shell knows the one, whole browsers the other.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
]

/** Particles share one process: they are told apart by their opaque origins, and driven through one session. */
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
  // What is blurred reaches over the bounds of tiles, and is drawn for each: few large ones take half the time.
  '--default-tile-width=2048',
  '--default-tile-height=2048',
  '--disable-checker-imaging',
  '--disable-threaded-animation',
  '--disable-threaded-scrolling',
  // What scrolls smoothly does so by real time: it is there at once.
  '--disable-smooth-scrolling',
]

/** Flags of a browser that draws only when told. */
export const beginFrameFlags: readonly string[] = [
  '--enable-begin-frame-control',
  '--run-all-compositor-stages-before-draw',
  '--disable-new-content-rendering-timeout',
  '--disable-image-animation-resync',
]
