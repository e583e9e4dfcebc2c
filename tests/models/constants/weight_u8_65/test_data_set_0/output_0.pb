ABoutput_0J„jã®?¼Òð@AmÀ€AõÂšAÖ¾A¹¦óAäBµt"BÙ5B
¨NBýƒ]BéjBÝÁB1Ç‹B¨‚—BY Búg¨B[_°B£¿BcAÅB¾3ÒBÛÄÛBôaæBPDõBvøBSCäCí«CI#Cž?C/CE CGë%C’â*C#Ä0C˜:3C6ü7CK>CcöDCÌáGC®±@N(At®sA?¹—Añ‹ÃA¢3æAâÙB*¾BÔX/BÓÖ<Bw
`BZÌgBLùyB	‡B³I•Bíq™B+§BK·°BŒþºBH·ÆB‘²ÒB25ØB÷äB×ÂéB