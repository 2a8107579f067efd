/** The part of the story about passes, with a certificate and a key that only the documents use. */
import { type Step, step } from "./step.ts";

const certificate = `-----BEGIN CERTIFICATE-----
MIICWTCCAcKgAwIBAgICEAIwDQYJKoZIhvcNAQELBQAwMjEwMC4GA1UEAxMnV29y
bGR3aWRlIERldmVsb3BlciBSZWxhdGlvbnMgb2YgYSB0ZXN0MCAXDTIwMDEwMTAw
MDAwMFoYDzIxMjAwMTAxMDAwMDAwWjCBgTElMCMGCgmSJomT8ixkAQETFXBhc3Mu
Y29tLmV4YW1wbGUuY2FyZDEsMCoGA1UEAxMjUGFzcyBUeXBlIElEOiBwYXNzLmNv
bS5leGFtcGxlLmNhcmQxEzARBgNVBAsTCkExQjJDM0Q0RTUxFTATBgNVBAoTDEV4
YW1wbGUgR21iSDCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAssxPoxoSR9am
2SKy/fuHiaP0/NM0Tv2uTGCOTGlAyGzl30Q1J32MHvh3/BaEoc2sAQRrD5VkXGIF
+AK1DR5hft+MXmITxBqUoOlC02sxgT7SvJTajjiWCZ4nT4TxuoJTn3Ixpf2UPqs3
bV65HWtIoo6eOMUt11xFkwd87zKFQZ0CAwEAAaMsMCowCQYDVR0TBAIwADAdBgNV
HSUEFjAUBggrBgEFBQcDAgYIKwYBBQUHAwQwDQYJKoZIhvcNAQELBQADgYEABRM8
1T2Fmx57iR4UZoyN8hnb8vRE4O8VdVXxXJlDFFDPrI9TQIgocIRMKqgRj55LInFJ
QLAJTeAuWYvbEF7noH/tNNRFpBLKzitsoyOI6KVuavockl9sml+90ziNCW8WO/lx
qH4IuYo0fEwJybUYIof854rg/D+0jYztYCi/Nn4=
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBALLMT6MaEkfWptki
sv37h4mj9PzTNE79rkxgjkxpQMhs5d9ENSd9jB74d/wWhKHNrAEEaw+VZFxiBfgC
tQ0eYX7fjF5iE8QalKDpQtNrMYE+0ryU2o44lgmeJ0+E8bqCU59yMaX9lD6rN21e
uR1rSKKOnjjFLddcRZMHfO8yhUGdAgMBAAECgYBtNbpW52/PDV9wNW+bDu3kto7H
dsH2laDG6htAtPFq+okV7HWDH35c1GuFQMPWiOfM30P9isR4YS9AI3cvAiWN8OIf
uTjP16rW7jeo4xJ+JjIvBe0i3G7DgW0s1Rv2objQKki0BrbsWFlTxBKNqfYKC36N
2s0LBVqnJ9xD3EHcCQJBAOmk15fbi18Sr7/u3yFFvBRO6QT8oq99fzijvSii8R7C
LlXPqVY1QkkvVAF8n8HrCSoWnFhqnEWbwynvu0X9pOMCQQDD6AI4tmerkP4V9aF3
V/tkm1pcADF9ML2OlGBszWNFuAf+Bovb4eOPuJfaNZXygMkamOutp8ijLkqwPSZC
rMd/AkBJRsO/AsIBPVEVdwtP2hkUnXMDd2BmfYuK7f+DYScSKIBztT88pFN3tHo6
RSWtodMr+g9qw3Tjd+iLnH41g0lVAkEAuiPyKGy4KD4GDltrZfgE91zdCFlurGLp
WVYGIJsuXgo0Hduee/gvvllIf582sEpJyqnOFRw8+T982+PePK/qhQJBAI4s/cdF
ODOjVZVskd9sAlMfQGavfBjM5EyolEWOmKZpQQ1V6+McR1ofn5Wp71gSZindmsfJ
jac/POytxU5JRGY=
-----END PRIVATE KEY-----
`;
const intermediate = `-----BEGIN CERTIFICATE-----
MIIB7TCCAVagAwIBAgICEAEwDQYJKoZIhvcNAQELBQAwMjEwMC4GA1UEAxMnV29y
bGR3aWRlIERldmVsb3BlciBSZWxhdGlvbnMgb2YgYSB0ZXN0MCAXDTIwMDEwMTAw
MDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAyMTAwLgYDVQQDEydXb3JsZHdpZGUgRGV2
ZWxvcGVyIFJlbGF0aW9ucyBvZiBhIHRlc3QwgZ8wDQYJKoZIhvcNAQEBBQADgY0A
MIGJAoGBANJRjnzeBBZWpd9szW52P6TuywUdAROVbqrLtqSFLN2Ke0U04v/dfIcj
sMfORK5YuiNz1tT6jzFWY3usyJv3lUkpnJ2Na+EoxIAhZnaiVCHGTHGLtuxOsH94
AsLOH0LW3hlSTk5S8FZK/iWk7LxLgrc74QC2mjABWl5McW2tGVPnAgMBAAGjEDAO
MAwGA1UdEwQFMAMBAf8wDQYJKoZIhvcNAQELBQADgYEAYm8VVElrmqf7Yu7JKIo/
F8xYqR7ayrGlO6X+3nKFTjvbja3GH1h2dSl7TZ3FDqjWYnzvttZmBc/7qOSWfe+s
ms+NVnfywO/X5BFSGakdU6IK/GbTZP37bO3QiyfAkoN2yq3zJ40Jlg2J7ZUlWoVI
5w2WLVF42akn/3IuoKwQMYo=
-----END CERTIFICATE-----
`;

/** A key that nothing accepts. */
const serviceAccountKey = {
  type: "service_account",
  project_id: "example-shop",
  private_key_id: "0f8fad5bd9cb469fa16570867728950e",
  private_key: `-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDCUDbKuKBAayb3
oTkMnqSEgvgqxuWJolwmOQNfYd3QosNww8InpX0O4gOatR16QqhPIhL8tNuE/z/N
4RYIqeswWb3uFbHz+aHz/HEvAdP6qNmvuRcZwHdPTRxdD6en9Tj6PY4xh+VbU4Su
+bx9n/DSWKY6VcD8+FvxysVKv9639XCCkZZIfGR0iM40JhiVkMLwiHdIa/0Hf01o
vSaYcy+vjeJdCiszABlR0T0mzuPs9/cnY3g25fB6cU+fCOU3wuowPE615Yt6s9gV
cNzp1ml8eoWMjuipDeGCiulsFb5abHglJVSeUTNasAFwAjSuVetOLouXpdZg4SL1
V1EVCUAtAgMBAAECggEAFrZiNn8uxA4s8i7scywr62KU+Ahi63EzN4iHJg6owGqg
pj1LeW+KLEOAy67ghi+PwB1/KKifLBmFxLPK69z9+kXTFybUCRd5tazL3K8TBFku
MLBVdz4cSVmoYhGitYAgASf8HJACNWg6ub/D0iSayotwH/YcEQrv/FWI4BGIn+nN
Q89DMYFmHrbFM1eHF5NMkN7hRK0V1rzDO1VNIS1mUT6Ud+2NIcYiIahIJwxVpzz1
GutWrNCcSJV0jm+51AVQzmVAbfB9lhmXgXzTh9hxQW/QTxaK3oOp6CaEUjxCQVIl
JolFdl08xoIm7cuFp1dT6NKETSRF7qerqsQGRYduRQKBgQDjwqFSNbC+M3BO/QbV
Bc37+jkufvMrplitrkEW5zjG3kvn5ajPs1v7mZkmH15FtYnoeHZE07enZNJ9cT0/
S5AKKn0xOtEmj/djArTTtf/sSxKovkSFcXtQqmA+m7b+HMBeBDFEqbw7/dfs2xvi
Fg1YkK9EynCcvplJOSNt0gNp0wKBgQDaZ/Cn2+EsLq9/YPAyEaLNPT4/RwavrUgF
h8gNNAump3+oMbwQw1bD/y/i6v7KxF7XHJ1o8RFlqYqNpsYO7u8slWx0Kb2fAz+g
6ogXWYNUCTvelI8NwHuumsXqbfcof+reitUpOJxNeCwJT2JqEhW8EwvmMu1Q+U4+
vBzcYZxt/wKBgERJOVbNlCUihPyZri+2ItD2b6h6FWwz3oiMIyW7w3EUewuW9qr3
Ko/fuGQOqZQa3rMdUtBF7d05REap6eQNQq1ZmdlluglmxpQf3plPCuEMjRacnSyp
HoDL5DlBNHcxpZdKiH7+qNoPvGpeMxjw5aV1E6d7TpIgLxMeF3o4qh9TAoGAAOgN
h6TR+mz3LYApfwuzsUZfy8Nvs6r0cZFusx9ULQzk6r3KGge1hHq6qCZxiEXoXtwv
iw/1EobxnETk7YrwUy8LlC/YKaDJ0tEmX3JvqRmgtfvH3DbATKk3yRFLxU9CmknZ
OKKTg37ML/20WtxYWr95fSsY8Q0X1grR09hT3eECgYA8vkoLPL9OrDfog8jsJC8q
ekDrD1QCPeGPqiO9HADwG5a3XGxJ66OOZywBf6e0orjPmJK2nS/2QfDTbYvhi98z
ZnRCNWrRsUsMWDRL+hXC/MrLwcOyY6MqmZeNh2yR/jMc1fZEeXnWVuc+rm8l2/ZD
uHNb067tDtD0I5s7WXXkKw==
-----END PRIVATE KEY-----
`,
  client_email: "passes@example-shop.iam.gserviceaccount.com",
};

/** @param business the fields of each request */
export const walletSteps = (business: object): readonly Step[] => [
  step("/op/apple-wallet/set-up", {
    idempotency_key: "apple-wallet-1",
    ...business,
    certificate,
    intermediate_certificate: intermediate,
    pass_type: "pass.com.example.card",
    team: "A1B2C3D4E5",
  }),
  step("/op/apple-wallet/get", business),
  step("/op/apple-wallet/delete", { idempotency_key: "apple-wallet-2", ...business }),
  // Google has nothing to answer yet.
  step("/op/google-wallet/get", business),
  step("/op/google-wallet/set-up", {
    idempotency_key: "google-wallet-1",
    ...business,
    service_account_key: JSON.stringify(serviceAccountKey),
    issuer_id: "3388000000022112345",
    pass_logo_url: "https://www.example.com/logo.png",
  }),
  step("/op/google-wallet/delete", { idempotency_key: "google-wallet-2", ...business }),
];
