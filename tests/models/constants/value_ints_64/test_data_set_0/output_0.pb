@Boutput_0J€OjîÀ	ÎdÀÊF®¿/N@Ü
¨@'Eï@¾QA]õTA³ÝˆA`d£A‹EÂA¸ÊAŸòA¿ÿAT7BY‰B‹"Bò0BôxBBIbIBŽYB%ÜaB»HlBRzvBJÜ€B¸tŠBS³B¬Ç”Bí¦›BÁ)ŸBâ¦BGD«B€°B¸5¹BŽ‡¾B€ÅBµ–ÉBö·ÒBì—ØB“àÜB9ÁæBKõçBåñíBÙ~ñBÌöúB	þBOCª(CøDCÏUCdðC]OCk“CsêC>C
v C©!C±#CÄ`'Cw6)C^ó*Cxm/Cž…3COF7C